import Glibc
import TestSupport
import Testing
import TintypeCore

@testable import TintypeTransport

/// Turns of the loop: how long they are, and what goes on beside long work.
@Suite(.tags(.untiered), .timeLimit(.minutes(1)), .serialized) struct LoopTurnsTests {
    /// Keeps this thread on its core for a part of the longest turn.
    private static func work(_ part: Double) {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let end = now() + part * (LoopTurns.most / .seconds(1))
        while now() < end {}
    }

    @Test @Loop func `a turn that takes too long is counted, logged and named`() async throws {
        let (metrics, log) = (Metrics(), try LoggedLines())
        let lag = LoopLag(metrics, log.logger)
        lag.start()
        defer { lag.stop() }
        try await Loop.sleep(.zero)
        try await Loop.sleep(.zero)
        let before = Loop.turns.count
        let timer = LoopTimer(after: .zero) { Self.work(1.1) }
        while Loop.turns.count == before { try await Loop.sleep(.milliseconds(1)) }
        timer.cancel()
        #expect(Loop.turns.latest.last?.type == "LoopTimer")
        #expect(Loop.turns.latest.last.map { $0.length > LoopTurns.most } == true)
        try await log.until("type=LoopTimer")
        #expect(metrics.value(.loopLongTurnSeconds) > LoopTurns.most / .seconds(1))
        // A part of a task has no type.
        Self.work(1.1)
        while Loop.turns.count == before + 1 { try await Loop.sleep(.milliseconds(1)) }
        #expect(Loop.turns.latest.last?.type == nil)
    }

    /// Together the entries take several long turns.
    @Test @Loop func `many entries of the queue are no long turn, and timers run between them in time`() async throws {
        let (before, entries) = (Loop.turns.count, 60)
        let done = OneShot<Void>()
        var ran: [Int] = []
        var timerRanBehind = 0
        let timer = LoopTimer(after: .zero) { timerRanBehind = ran.count }
        for number in 0..<entries {
            Loop.execute {
                Self.work(0.05)
                // An entry that comes while others wait runs behind them, and none is lost.
                if number == 0 { Loop.execute { ran.append(entries) } }
                ran.append(number)
                if number == entries - 1 { Loop.execute { done.complete(.success(())) } }
            }
        }
        try await done.wait()
        timer.cancel()
        #expect(ran == Array(0...entries))
        #expect(Loop.turns.count == before && timerRanBehind < entries, "behind \(timerRanBehind)")
    }

    @Test @Loop func `work on many bytes leaves the loop, and work on few does not`() async throws {
        for (count, isHere) in [(0, true), (Loop.longWork - 1, true), (Loop.longWork, false)] {
            #expect(await Loop.work(on: count) { Loop.eventLoop.isOnLoop } == isHere, "\(count)")
            await #expect(throws: TintypeError.self) {
                try await Loop.work(on: count) { () throws(TintypeError) in throw TintypeError(.timeout, .store, "no") }
            }
        }
    }

    @Test @Loop func `a condition resumes all that wait, in their order, and forgets those that have left`() async throws {
        let (condition, scope) = (Condition(), TaskScope())
        var (resumed, left): ([Int], Int) = ([], 0)
        func wait(_ number: Int, within time: Duration) -> Task<Void, Never> {
            scope.run("wait \(number)") { if await condition.wait(within: time) { resumed.append(number) } else { left += 1 } }
        }
        var tasks: [Task<Void, Never>] = []
        for number in 0..<1000 { tasks.append(wait(number, within: number.isMultiple(of: 3) ? .milliseconds(1) : .seconds(1000))) }
        while left < 334 { try await Loop.sleep(.milliseconds(1)) }
        for number in 0..<500 { tasks[number].cancel() }
        while left < 667 { try await Loop.sleep(.milliseconds(1)) }
        #expect(condition.places < 700, "a third is left")
        condition.signal()
        await scope.drain()
        #expect(resumed == (500..<1000).filter { !$0.isMultiple(of: 3) } && condition.places == 0)
        #expect(await !condition.wait(within: .zero), "a signal is for those that wait at its time")
    }

    /// Each step of such a wait costs the same however many others wait.
    @Test(.scoped, .freesLoop) @Loop func `ten thousand tasks that wait for a server that is away do not hold the loop`() async throws {
        let logger = Logger(label: "test", level: .error)
        let port = try FreePort.find()
        for url in ["redis://127.0.0.1:\(port)", "cluster://127.0.0.1:\(port)?timeout=300ms"] {
            let nodes = RedisNodes(RedisTopologies().topology(of: try RedisURL(url), name: "test", logger: logger), name: "test", logger: logger)
            nodes.start()
            let scope = TaskScope()
            var failures = 0
            for number in 0..<10_000 {
                let node = nodes.node(for: RedisTag("q"))
                // Half of them leave by themselves, and half when their client does.
                scope.run("wait") {
                    do { try await node.untilConnected(within: number.isMultiple(of: 2) ? .milliseconds(500) : .seconds(1000)) } catch { failures += 1 }
                }
                if number % 200 == 0 { await Task.yield() }
            }
            while failures < 5000 { try await Loop.sleep(.milliseconds(10)) }
            scope.cancelAll()
            await scope.drain()
            #expect(failures == 10_000)
            nodes.stop()
        }
    }
}
