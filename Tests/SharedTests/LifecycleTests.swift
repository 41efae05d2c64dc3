import TintypeTransport
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.threads), .timeLimit(.minutes(1)), .scoped) struct LifecycleTests {
    private struct Broken: Error {}

    @Test @Loop func `the first completion of a value wins, and all waiters get the value`() async throws {
        let value = OneShot<Int>()
        let scope = TaskScope()
        var got: [Int] = []
        for _ in 0..<10 { scope.run("waiter") { got.append((try? await value.wait()) ?? -1) } }
        try await Loop.sleep(.milliseconds(1))
        #expect(value.complete(.success(7)))
        #expect(!value.complete(.success(8)))
        await scope.drain()
        #expect(got == Array(repeating: 7, count: 10))
        #expect(try await value.wait() == 7)
    }

    @Test @Loop func `a cancelled waiter leaves alone, whether it waited already or not`() async throws {
        let value = OneShot<Int>()
        let scope = TaskScope()
        var outcomes: [String] = []
        let early = scope.run("cancelled before it ran") { outcomes.append(await self.outcome(value)) }
        early.cancel()
        let late = scope.run("cancelled while waiting") { outcomes.append(await self.outcome(value)) }
        let patient = OneShot<String>()
        scope.run("patient") { patient.complete(.success(await self.outcome(value))) }
        try await Loop.sleep(.milliseconds(1))
        late.cancel()
        try await Loop.sleep(.milliseconds(1))
        #expect(outcomes == ["cancelled", "cancelled"])
        value.complete(.success(1))
        #expect(try await patient.wait() == "1")
        await scope.drain()
    }

    @Test @Loop func `a caller during a run shares the run, which goes on without the caller`() async {
        let scope = TaskScope()
        let shared = SingleFlight<Int>("run", in: scope)
        let gate = OneShot<Void>()
        let asked = LoopCounter()
        var runs = 0
        var got: [Int?] = []
        let askers = (0..<3).map { _ in
            scope.run("asker") {
                asked.note()
                got.append(
                    await shared.value {
                        runs += 1
                        try? await gate.wait()
                        return runs
                    })
            }
        }
        try? await asked.reaches(3)
        #expect(shared.isUnderWay)
        askers[0].cancel()
        gate.complete(.success(()))
        await scope.drain()
        #expect(runs == 1 && got.count == 3 && got.compactMap { $0 }.count >= 2 && got.allSatisfy { $0 == 1 || $0 == nil } && !shared.isUnderWay)
        #expect(await shared.value { 7 } == 7)
    }

    @Loop private func outcome(_ value: OneShot<Int>) async -> String {
        do { return String(try await value.wait()) } catch is CancellationError { return "cancelled" } catch { return "\(error)" }
    }

    private final class Meeting: Sendable {
        private let present = Atomic<Int>(0)

        func arrive(_ number: Int) -> Int {
            present.add(1, ordering: .sequentiallyConsistent)
            while present.load(ordering: .sequentiallyConsistent) < 2 {}
            return number
        }
    }

    @Test @Loop func `a scope counts, cancels and waits for what it runs`() async {
        let scope = TaskScope()
        let gate = OneShot<Void>()
        for _ in 0..<5 { scope.run("waits") { try? await gate.wait() } }
        #expect(scope.count == 5)
        scope.cancelAll()
        await scope.drain()
        #expect(scope.count == 0)
        await scope.drain()
    }

    @Test func `a pool runs blocking calls side by side and brings answers and errors back`() async throws {
        let pool = BlockingPool(threads: 2, name: "two")
        // Each waits for the other: with one thread, or one after the other, the test would hang.
        let meeting = Meeting()
        async let one = pool.run { meeting.arrive(1) }
        async let two = pool.run { meeting.arrive(2) }
        #expect(try await one + two == 3)
        await #expect(throws: Broken.self) { try await pool.run { throw Broken() } }
        pool.stop()
        await #expect(throws: BlockingPool.Stopped.self) { try await pool.run { 1 } }
    }
}
