#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import Synchronization

/// The thread that reads and writes all sockets of one client, and keeps its timers. The client owns it, and stops it when it is closed.
package final class Loop: Sendable {
    package typealias Instant = ContinuousClock.Instant

    struct Timer: Sendable, Hashable {
        fileprivate let id: Int
    }

    private struct State {
        var added: [Stream] = []
        /// Streams that have something to do: bytes to send, or their end.
        var stirred: [Stream] = []
        /// By time, the latest first.
        var timers: [(at: Instant, id: Int, action: @Sendable () -> Void)] = []
        var nextTimer = 0
        var isAsleep = false
        var hasStopped = false
    }

    private let state = Mutex(State())
    private let bell: (reading: Int32, writing: Int32)

    package init() {
        var ends: [Int32] = [0, 0]
        precondition(pipe(&ends) == 0, "no pipe can be made: \(Platform.text(errno))")
        for end in ends {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        bell = (ends[0], ends[1])
        Platform.thread { self.run() }
    }

    deinit {
        Platform.close(bell.reading)
        Platform.close(bell.writing)
    }

    // MARK: - From any thread

    /// Takes a stream, until it ends.
    func add(_ stream: Stream) {
        let isLate = change { state in
            if !state.hasStopped { state.added.append(stream) }
            return state.hasStopped
        }
        guard isLate else { return }
        stream.close("the client was closed")
        _ = stream.endIfClosed()
    }

    /// Lets the loop look at a stream that has something to do.
    func stir(_ stream: Stream) {
        change { $0.stirred.append(stream) }
    }

    /// Calls a function on the thread of the loop at a time.
    @discardableResult
    func at(_ instant: Instant, _ action: @escaping @Sendable () -> Void) -> Timer {
        let id = change { state -> Int in
            state.nextTimer += 1
            let place = state.timers.firstIndex { $0.at < instant } ?? state.timers.endIndex
            state.timers.insert((instant, state.nextTimer, action), at: place)
            return state.nextTimer
        }
        return Timer(id: id)
    }

    func cancel(_ timer: Timer) {
        // The loop wakes in vain at most once.
        state.withLock { state in
            if let place = state.timers.firstIndex(where: { $0.id == timer.id }) { state.timers.remove(at: place) }
        }
    }

    /// Ends all streams, and the thread.
    func stop() {
        change { $0.hasStopped = true }
    }

    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, wakes) = state.withLock { state in
            let value = body(&state)
            let wakes = state.isAsleep
            state.isAsleep = false
            return (value, wakes)
        }
        if wakes {
            var byte: UInt8 = 0
            _ = write(bell.writing, &byte, 1)
        }
        return value
    }

    // MARK: - On its thread

    private struct Turn {
        var added: [Stream] = []
        var stirred: [Stream] = []
        var due: [@Sendable () -> Void] = []
        var hasStopped = false
    }

    private func run() {
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 256 << 10)
        var drained: [UInt8] = []
        var streams: [Stream] = []
        var polls: [pollfd] = []
        defer { buffer.deallocate() }
        while true {
            let turn = nextTurn()
            streams += turn.added
            if turn.hasStopped { break }
            for action in turn.due { action() }
            for stream in turn.stirred { stream.flush(&drained) }
            streams.removeAll { $0.endIfClosed() }
            polls.removeAll(keepingCapacity: true)
            polls.append(pollfd(fd: bell.reading, events: Int16(POLLIN), revents: 0))
            for stream in streams { polls.append(pollfd(fd: stream.descriptor, events: stream.interest, revents: 0)) }
            _ = poll(&polls, .init(polls.count), sleep())
            if polls[0].revents != 0 { while read(bell.reading, buffer.baseAddress, buffer.count) > 0 {} }
            for (index, stream) in streams.enumerated() where polls[index + 1].revents != 0 {
                stream.ready(polls[index + 1].revents, buffer)
            }
        }
        for stream in streams {
            stream.close("the client was closed")
            _ = stream.endIfClosed()
        }
    }

    private func nextTurn() -> Turn {
        let now = Instant.now
        return state.withLock { state in
            state.isAsleep = false
            var turn = Turn()
            swap(&turn.added, &state.added)
            swap(&turn.stirred, &state.stirred)
            while let last = state.timers.last, last.at <= now { turn.due.append(state.timers.removeLast().action) }
            turn.hasStopped = state.hasStopped
            return turn
        }
    }

    /// Returns for how many milliseconds the loop may sleep.
    private func sleep() -> Int32 {
        state.withLock { state in
            if !state.added.isEmpty || !state.stirred.isEmpty || state.hasStopped { return 0 }
            state.isAsleep = true
            guard let next = state.timers.last else { return -1 }
            let wait = Instant.now.duration(to: next.at)
            return Int32(max(0, min(wait.seconds * 1000, 3_600_000)).rounded(.up))
        }
    }
}

extension Duration {
    /// A number of seconds from outside: at most a year, and none where it is no number.
    static func bounded(_ seconds: Double) -> Duration {
        .seconds(seconds.isNaN ? 0 : Swift.min(Swift.max(seconds, 0), 365 * 86_400))
    }

    /// The duration in seconds.
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
