import Glibc
import TintypeTransport
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.threads), .timeLimit(.minutes(1)), .serialized) struct EventLoopTests {
    @Test @Loop func `calls from many threads all run, each thread's in its order`() async throws {
        let senders = 8
        let each = 1000
        let pool = BlockingPool(threads: senders, name: "senders")
        defer { pool.stop() }
        let board = Board(senders: senders, target: senders * each)
        let scope = TaskScope()
        for sender in 0..<senders {
            scope.run("sender") {
                try? await pool.run {
                    for number in 0..<each { Loop.execute { board.note(sender, number) } }
                }
            }
        }
        try await board.full.wait()
        await scope.drain()
        #expect(board.isInOrder)
    }

    @Test @Loop func `thousands of hops between the loop and other threads come back`() async {
        let pool = BlockingPool(threads: 4, name: "elsewhere")
        defer { pool.stop() }
        let scope = TaskScope()
        var total = 0
        for _ in 0..<64 {
            scope.run("hopper") {
                var value = 0
                for _ in 0..<200 {
                    let before = value
                    value = (try? await pool.run { before + (Loop.eventLoop.isOnLoop ? 0 : 1) }) ?? 0
                    value += Loop.eventLoop.isOnLoop ? 0 : 1_000_000
                }
                total += value
            }
        }
        await scope.drain()
        #expect(total == 64 * 200)
    }

    @Test @Loop func `a wake-up of a sleeping loop is never lost`() async throws {
        // One after the other: in each round the loop sleeps, or is about to.
        let pool = BlockingPool(threads: 1, name: "waker")
        defer { pool.stop() }
        var sum = 0
        for round in 0..<5000 { sum += try await pool.run { round & 1 } }
        #expect(sum == 2500)
    }

    @Test @Loop func `a task of a scope stays on the loop, other actors' code included`() async {
        let scope = TaskScope()
        let places = Places()
        scope.run("stays") {
            await places.note(Loop.eventLoop.isOnLoop)
            await places.note()
        }
        await scope.drain()
        #expect(await places.onLoop == [true, true])
    }

    @Test @Loop func `busy tasks do not starve timers and descriptors`() async throws {
        let done = OneShot<Void>()
        let timer = LoopTimer(after: .milliseconds(5)) { done.complete(.success(())) }
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let heard = OneShot<Void>()
        let watch = DescriptorWatch(ends[0], .read) { _ in heard.complete(.success(())) }
        write(ends[1], "x", 1)
        while !done.isComplete || !heard.isComplete { await Task.yield() }
        timer.cancel()
        watch.cancel()
    }

    @Test func `a second loop runs its tasks until it is stopped`() async {
        let loop = EventLoop(name: "other")
        defer { loop.stop() }
        let count = await withCheckedContinuation { continuation in
            let seen = Mutex(0)
            for number in 1...1000 {
                loop.execute {
                    let count = seen.withLock { seen in
                        seen += loop.isOnLoop ? 1 : 0
                        return seen
                    }
                    if number == 1000 { continuation.resume(returning: count) }
                }
            }
        }
        #expect(count == 1000)
        #expect(!loop.isOnLoop)
    }
}

/// Counts arrivals on the loop, and checks the order of each sender's numbers.
@Loop private final class Board {
    let full = OneShot<Void>()
    private(set) var isInOrder = true
    private var next: [Int]
    private var left: Int

    init(senders: Int, target: Int) {
        next = Array(repeating: 0, count: senders)
        left = target
    }

    func note(_ sender: Int, _ number: Int) {
        isInOrder = isInOrder && next[sender] == number
        next[sender] = number + 1
        left -= 1
        if left == 0 { full.complete(.success(())) }
    }
}

private actor Places {
    private(set) var onLoop: [Bool] = []
    func note(_ isOnLoop: Bool) { onLoop.append(isOnLoop) }
    func note() { onLoop.append(Loop.eventLoop.isOnLoop) }
}
