package import TintypeTransport
import TintypeImages
import TintypeStores

/// The writes of a fetch to the source cache, while its pictures are made. The fetch ends after the writes. So a client that hears of the end
/// and asks for another rendition gets it from the same bytes. One for each fetch; lives on the loop.
@Loop package final class SourceWrites {
    private let scope: TaskScope
    private var tasks: [Task<Void, Never>] = []
    private var pending = 0
    private var isCancelled = false
    /// The keys of sources whose write has begun.
    private(set) var keys: Set<String> = []
    /// The marks of results whose write has begun before the end was reported, by key: of each, the last one.
    private(set) var results: [String: StoredMark] = [:]
    /// Completed when the writes end, for those who wait.
    private var ended: OneShot<Void>?

    package init(_ scope: TaskScope) { self.scope = scope }

    /// Starts a write, unless writes are canceled.
    /// - Parameter key: the key of the source.
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

    /// Records that a result is about to be stored.
    func note(_ result: StoredImage) { results[result.key] = StoredMark(result) }

    /// Whether something is being written.
    var areUnderWay: Bool { pending > 0 }

    /// Waits until all writes have ended, or until `letGo`.
    func done() async {
        guard areUnderWay else { return }
        let ended = ended ?? OneShot()
        self.ended = ended
        try? await ended.wait()
    }

    /// Ends the waiting. The writes go on.
    func letGo() {
        ended?.complete(.success(()))
        ended = nil
    }

    /// Cancels the present writes and all later ones, because no time is left.
    func cancel() {
        isCancelled = true
        for task in tasks { task.cancel() }
    }
}
