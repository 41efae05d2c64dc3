package import TintypeTransport

/// What a fetch writes to the cache of sources while its pictures are made. It ends when all of that is there: whoever is told of its end, and
/// asks for another rendition, has it made of the same bytes. One for each fetch; lives on the loop.
@Loop package final class SourceWrites {
    private let scope: TaskScope
    private var tasks: [Task<Void, Never>] = []
    private var pending = 0
    private var isCancelled = false
    /// The keys under which something was written, or began to be.
    private(set) var keys: Set<String> = []
    /// The keys of results that were stored, or begun to be, before the end was told.
    private(set) var results: Set<String> = []
    /// Of those that wait now.
    private var ended: OneShot<Void>?

    package init(_ scope: TaskScope) { self.scope = scope }

    /// Begins a write, unless there is no time left for one.
    /// - Parameter key: of the source that is kept.
    func begin(_ key: String, _ write: @escaping @Loop () async -> Void) {
        guard !isCancelled else { return }
        keys.insert(key)
        pending += 1
        let task = scope.run("keep source \(key)") { [self] in
            await write()
            pending -= 1
            if pending == 0 { letGo() }
        }
        tasks.append(task)
    }

    /// A result is about to be stored.
    func note(result key: String) { results.insert(key) }

    /// Whether something is being written.
    var areUnderWay: Bool { pending > 0 }

    /// Waits until all has been written, or could not be, or until `letGo`.
    func done() async {
        guard areUnderWay else { return }
        let ended = ended ?? OneShot()
        self.ended = ended
        try? await ended.wait()
    }

    /// Whoever waits does so no longer; what is being written still is.
    func letGo() {
        ended?.complete(.success(()))
        ended = nil
    }

    /// There is no time left for it, nor for what begins after this.
    func cancel() {
        isCancelled = true
        for task in tasks { task.cancel() }
    }
}
