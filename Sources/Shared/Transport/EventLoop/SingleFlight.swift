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
