import TintypeCore

/// The only owner of unstructured tasks. Work that outlives a call is started here, and can be cancelled and waited for.
///
/// Its tasks run on the loop, non-isolated code included. Releasing a scope does not end its tasks: cancel it first.
@Loop
package final class TaskScope {
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var lastTask = 0
    private var drained: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// The number of tasks that have not ended.
    package var count: Int { tasks.count }

    /// Starts `body` in the next turn of the loop. Debuggers and crash reports show `name`.
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

    /// Starts work for several requests, in the next turn of the loop. It belongs to no trace, whichever request has started it.
    @discardableResult
    package func runApart(_ name: String, _ body: @escaping @Loop () async -> Void) -> Task<Void, Never> {
        TraceContext.$current.withValue(nil) { run(name, body) }
    }

    /// Cancels every task that runs now. A task ends when it notices.
    package func cancelAll() {
        for task in tasks.values { task.cancel() }
    }

    /// Waits until no task is left, even if the waiting task is cancelled. New tasks may be started meanwhile.
    package func drain() async {
        // The check is inside, since entering may cost the caller a turn of the loop, in which the last task may end.
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

/// One run of a costly task for all callers that ask while it is under way. The run goes on when these callers have left.
@Loop
package final class SingleFlight<Value: Sendable> {
    private let name: String
    private let scope: TaskScope
    private var running: OneShot<Value>?

    /// - Parameter scope: the owner of the run, which cancels it and waits for it.
    package init(_ name: String, in scope: TaskScope) { (self.name, self.scope) = (name, scope) }

    package var isUnderWay: Bool { running != nil }

    /// Returns the result of the run under way, or starts a new one. Parts of the result may be older than the call.
    /// - Returns: nil if the caller is cancelled first.
    package func value(of body: @escaping @Loop () async -> Value) async -> Value? { try? await (running ?? begin(body)).wait() }

    private func begin(_ body: @escaping @Loop () async -> Value) -> OneShot<Value> {
        let run = OneShot<Value>()
        running = run
        scope.run(name) { [self] in
            let value = await body()
            running = nil
            run.complete(.success(value))
        }
        return run
    }
}
