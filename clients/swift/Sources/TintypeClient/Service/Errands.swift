import Synchronization

/// Work that nobody waits for, such as the withdrawal of a receipt. It ends with its owner.
final class Errands: Sendable {
    /// The most errands at once. Further ones are left out: the service ends a receipt without its client in any case.
    static let most = 1000

    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var next = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// How many are under way.
    var count: Int { state.withLock { $0.tasks.count } }

    func run(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            if state.isClosed || state.tasks.count >= Self.most { return }
            state.next += 1
            let id = state.next
            state.tasks[id] = Task { [weak self] in
                await work()
                self?.forget(id)
            }
        }
    }

    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            defer { state.tasks = [:] }
            return state.tasks.values
        }
        for task in tasks { task.cancel() }
    }

    private func forget(_ id: Int) {
        state.withLock { $0.tasks[id] = nil }
    }
}
