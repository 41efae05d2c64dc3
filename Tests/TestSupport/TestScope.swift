import Glibc
import Synchronization
package import Testing

/// The processes that one test has started and must stop, however it ends.
package final class TestScope: Sendable {
    @TaskLocal fileprivate static var current: TestScope?
    private let stops = Mutex<[@Sendable () async -> Void]>([])

    /// Registers a stop for the end of the test: last started, first stopped.
    package static func atEnd(_ stop: @escaping @Sendable () async -> Void) {
        guard let current else { return _ = Issue.record("what this test starts is never stopped: its suite needs the trait .scoped") }
        current.stops.withLock { $0.append(stop) }
    }

    /// Ends a process at the end of the test.
    package static func ends(_ process: ChildProcess) {
        atEnd {
            process.signal(SIGTERM)
            await process.exit()
        }
    }

    fileprivate func end() async {
        while let stop = stops.withLock({ $0.popLast() }) { await stop() }
    }
}

/// Gives each test of a suite a `TestScope`.
package struct TestScopeTrait: SuiteTrait, TestTrait, TestScoping {
    package init() {}

    package var isRecursive: Bool { true }

    @concurrent package func provideScope(for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void) async throws
    {
        let scope = TestScope()
        do {
            try await TestScope.$current.withValue(scope) { try await function() }
        } catch {
            await scope.end()
            throw error
        }
        await scope.end()
    }
}

extension Trait where Self == TestScopeTrait {
    /// Stops everything that a test has started at its end, also when it throws.
    package static var scoped: TestScopeTrait { TestScopeTrait() }
}
