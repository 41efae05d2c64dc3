import Foundation
import Synchronization
package import Testing
import TintypeTransport

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

    /// Whether a turn of the event loop that takes too long fails a test. Only a debug build measures the time on a core, whatever else the machine does.
    static var judgesTurns: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    /// Whether a long turn fails a test: one that is about long turns always, another one in a debug build if it has no exception.
    static func judges(_ test: Test) -> Bool {
        guard let use = test.traits.lazy.compactMap({ $0 as? LoopUse }).first else { return judgesTurns }
        return use.isJudged
    }

    /// Fails the test if a program has logged such a turn.
    static func judgeTurns(of program: ServiceProcess) {
        guard judgesTurns, let line = program.process.errors.split(separator: "\n").first(where: { $0.contains("the event loop stood still") }) else { return }
        Issue.record("\(program.process.name): \(line)")
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
        let before = await Loop.turns.count
        do {
            try await TestScope.$current.withValue(scope) { try await function() }
        } catch {
            await scope.end()
            throw error
        }
        await scope.end()
        let turns = await Loop.turns
        for turn in turns.latest.suffix(turns.count - before) where TestScope.judges(test) {
            Issue.record("the event loop stood still for \(turn.length) in \(turn.type.map { "a callback of \($0)" } ?? "a task"): move the work to a thread")
        }
    }
}

extension Trait where Self == TestScopeTrait {
    /// Stops everything that a test has started at its end, also when it throws.
    package static var scoped: TestScopeTrait { TestScopeTrait() }
}

/// Whether long turns of the event loop fail a test, whatever is asked for the others.
package struct LoopUse: TestTrait {
    let isJudged: Bool
}

extension Trait where Self == LoopUse {
    /// Judges the test always: it is about long turns.
    package static var freesLoop: LoopUse { LoopUse(isJudged: true) }
    /// Judges the test never.
    /// - Parameter reason: the work by which the test itself holds the loop of its process.
    package static func holdsLoop(_ reason: String) -> LoopUse { LoopUse(isJudged: false) }
}
