/// One run of something costly, for all who ask while it is under way. It goes on when those who asked have left.
@Loop
package final class SharedRun<Value: Sendable> {
    private let name: String
    private let scope: TaskScope
    private var running: OneShot<Value>?

    /// - Parameter scope: what the run belongs to, and is waited for and cancelled with.
    package init(_ name: String, in scope: TaskScope) { (self.name, self.scope) = (name, scope) }

    package var isUnderWay: Bool { running != nil }

    /// What the run that is under way comes to, or else a new one. Some of what it says may have been found out before the question.
    /// - Returns: nil for whoever is cancelled first.
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
