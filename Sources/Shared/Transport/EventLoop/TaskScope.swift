/// The only owner of unstructured tasks: whoever starts work that outlives a call starts it here, can cancel it and wait for it.
///
/// Its tasks run on the loop, non-isolated code included. A scope that is dropped does not end its tasks: cancel it first.
@Loop
package final class TaskScope {
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var lastTask = 0
    private var drained: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// How many tasks have not ended.
    package var count: Int { tasks.count }

    /// Starts `body` in the next turn of the loop. `name` shows in debuggers and crash reports.
    @discardableResult
    package func run(_ name: String, _ body: @escaping @Loop () async -> Void) -> Task<Void, Never> {
        lastTask += 1
        let id = lastTask
        let work: @Loop () async -> Void = {
            await body()
            self.ended(id)
        }
        let task = Task(name: name, executorPreference: Loop.eventLoop.tasks, operation: work)
        tasks[id] = task
        return task
    }

    /// Cancels every task that runs now; they end when they notice.
    package func cancelAll() {
        for task in tasks.values { task.cancel() }
    }

    /// Waits until no task is left, whatever happens to the waiting task. New ones may be started meanwhile.
    package func drain() async {
        // Looked at inside: entering may cost the caller a turn of the loop, in which the last task may end.
        await withCheckedContinuation { continuation in
            if tasks.isEmpty { continuation.resume() } else { drained.append(continuation) }
        }
    }

    private func ended(_ id: Int) {
        tasks[id] = nil
        guard tasks.isEmpty else { return }
        let waiters = drained
        drained = []
        for waiter in waiters { waiter.resume() }
    }
}
