import Glibc
import TintypeCore
import TintypeTransport
import TintypeQueue
import TestSupport
import Testing

@Suite(.tags(.untiered), .timeLimit(.minutes(1)), .serialized) struct EventLoopTimerTests {
    @Test(.tags(.timed)) @Loop func `timers run in the order of their due times`() async throws {
        let delays = [90, 10, 50, 30, 70, 0, 20, 80, 40, 60]
        var isSound = false
        // Judged only if all timers were made within the least time between two of them.
        while !isSound {
            var order: [Int] = []
            let done = OneShot<Void>()
            let began = ContinuousClock.now
            let timers = delays.map { delay in
                LoopTimer(after: .milliseconds(delay)) {
                    order.append(delay)
                    if order.count == delays.count { done.complete(.success(())) }
                }
            }
            isSound = ContinuousClock.now - began < .milliseconds(10)
            try await done.wait()
            #expect(!isSound || order == delays.sorted())
            #expect(timers.allSatisfy { !$0.isActive })
        }
    }

    /// The kernel's coarse clock, by which libevent counts, lags by up to 4 ms. A sleeping loop hides that; one that is woken all the time does not.
    @Test @Loop func `a timer of a busy loop never runs early`() async throws {
        let done = OneShot<Void>()
        let waker = TaskScope()
        waker.run("waker") { while !done.isComplete { await Task.yield() } }
        for delay in (1...40).map({ Duration.microseconds(700 * $0) }) {
            let ran = OneShot<ContinuousClock.Instant>(), began = ContinuousClock.now
            let timer = LoopTimer(after: delay) { ran.complete(.success(.now)) }
            #expect(try await ran.wait() - began >= delay)
            #expect(!timer.isActive)
        }
        done.complete(.success(()))
        await waker.drain()
    }

    @Test @Loop func `a cancelled or released timer never runs, not even cancelled by one due together`() async throws {
        var ran: [String] = []
        let done = OneShot<Void>()
        var released: LoopTimer? = LoopTimer(after: .milliseconds(5)) { ran.append("released") }
        let cancelled = LoopTimer(after: .milliseconds(5)) { ran.append("cancelled") }
        // Each of the two cancels the other. The loop may take either first.
        var pair: [LoopTimer] = []
        for name in ["one", "other"] {
            pair.append(
                LoopTimer(after: .milliseconds(10)) {
                    for timer in pair { timer.cancel() }
                    ran.append(name)
                })
        }
        let last = LoopTimer(after: .milliseconds(40)) { done.complete(.success(())) }
        #expect(released?.isActive == true)
        released = nil
        cancelled.cancel()
        try await done.wait()
        #expect(ran.count == 1 && ["one", "other"].contains(ran[0]), "\(ran)")
        #expect(!pair[0].isActive && !pair[1].isActive && !last.isActive)
    }

    @Test @Loop func `a repeating timer runs until it cancels itself`() async throws {
        let ran = LoopCounter()
        var timer: LoopTimer?
        timer = LoopTimer(after: .milliseconds(1), repeating: true) {
            ran.note()
            if ran.count == 5 { timer?.cancel() }
        }
        try await ran.reaches(5)
        try await Loop.sleep(.milliseconds(10))
        #expect(ran.count == 5)
    }

    @Test @Loop func `a sleep ends after the timers before it, or at once when cancelled`() async throws {
        var isOver = false
        let timer = LoopTimer(after: .milliseconds(10)) { isOver = true }
        try await Loop.sleep(.milliseconds(30))
        #expect(isOver)
        timer.cancel()
        let scope = TaskScope()
        var outcome: Result<Void, any Error>?
        scope.run("sleeper") {
            do throws(CancellationError) {
                try await Loop.sleep(.seconds(3600))
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
        }
        scope.cancelAll()
        await scope.drain()
        #expect(throws: CancellationError.self) { try outcome?.get() }
    }

    @Test @Loop func `a value that does not come in time is another one`() async throws {
        let late = OneShot<Int>()
        #expect(try await late.wait(within: .milliseconds(20), orElse: .success(2)) == 2)
        #expect(!late.complete(.success(1)))
        let early = OneShot<Int>()
        Loop.execute { early.complete(.success(1)) }
        #expect(try await early.wait(within: .seconds(60), orElse: .success(2)) == 1)
    }

    @Test @Loop func `a signal is reported each time it is sent, until the watch is cancelled`() async throws {
        let heard = LoopCounter()
        // SIGURG does nothing by default, so a signal after the end of the watch does no harm.
        let watch = SignalWatch(SIGURG) { heard.note() }
        for number in 1...3 {
            kill(getpid(), SIGURG)
            try await heard.reaches(number)
        }
        watch.cancel()
        kill(getpid(), SIGURG)
        try await Loop.sleep(.milliseconds(1))
        #expect(heard.count == 3)
    }

    @Test @Loop func `a descriptor is reported as long as it is ready and of interest`() async throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let reads = LoopCounter()
        let writes = LoopCounter()
        let watch = DescriptorWatch(ends[0], []) { ready in
            if ready.contains(.read) { reads.note() }
            if ready.contains(.write) { writes.note() }
        }
        watch.update(.write)
        try await writes.reaches(1)
        #expect(reads.count == 0)
        watch.update(.read)
        write(ends[1], "x", 1)
        // Nobody reads: the event is level-triggered, so it comes again and again.
        try await reads.reaches(3)
        watch.update([])
        let before = [reads.count, writes.count]
        try await Loop.sleep(.milliseconds(1))
        #expect(before == [reads.count, writes.count])
        watch.update([.read, .write])
        try await reads.reaches(before[0] + 1)
        try await writes.reaches(before[1] + 1)
        watch.cancel()
        let last = [reads.count, writes.count]
        try await Loop.sleep(.milliseconds(1))
        #expect(last == [reads.count, writes.count])
    }

    @Test(.tags(.timed)) @Loop func `a loop that stands still for more than the interval shows in its lag`() async throws {
        let metrics = Metrics()
        let lag = LoopLag(metrics, Logger(label: "test"))
        func seen() -> (all: Int, late: Double) {
            let line = metrics.text().split(separator: "\n").first { $0.hasPrefix("tintype_loop_lag_seconds_count ") }
            return (line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0, metrics.value(.loopLagSeconds))
        }
        lag.start()
        while seen().all == 0 { try await Loop.sleep(.milliseconds(5)) }
        let before = seen().late
        // Nothing else runs on the loop meanwhile.
        let end = ContinuousClock.now + .milliseconds(600)
        while ContinuousClock.now < end {}
        while seen().late < before + 0.3 { try await Loop.sleep(.milliseconds(5)) }
        lag.stop()
    }
}
