import CLinux
import Glibc

/// A few threads for calls that block (files, name look-ups), first in, first out. The loop awaits the result.
///
/// The queue has no limit of its own, so callers limit the number of calls in flight. A call that has begun is not interrupted when the waiting task is
/// cancelled.
package final class BlockingPool: Sendable {
    /// The pool was stopped before the call began.
    package struct Stopped: Error {}

    private struct State {
        var calls = FIFO<@Sendable () -> Void>()
        var isStopped = false
    }

    private let state = Locked(State())
    /// An eventfd as a semaphore, with one count for each waiting call. Idle threads sleep in a blocking read of it.
    private let semaphore: Int32
    private let threads: Int

    package init(threads: Int, name: String) {
        precondition(threads > 0, "a pool needs a thread")
        self.threads = threads
        semaphore = eventfd(0, CInt(EFD_SEMAPHORE | EFD_CLOEXEC))
        precondition(semaphore >= 0, "no descriptor left for a blocking pool")
        for index in 0..<threads {
            startThread(name: "\(name)-\(index)") { [self] in work() }
        }
    }

    deinit {
        close(semaphore)
    }

    /// Runs `body` on one of the threads and returns its result to the caller's executor.
    /// - Throws: the error of `body`, or `Stopped`.
    package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
            let isTaken = start { continuation.resume(with: Result(catching: body)) }
            if !isTaken { continuation.resume(throwing: Stopped()) }
        }
    }

    /// Queues `body` for one of the threads; no task waits for it.
    /// - Returns: false after `stop`. The body never runs then.
    @discardableResult
    package func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isStopped { state.calls.append(body) }
            return !state.isStopped
        }
        if isTaken { signal(1) }
        return isTaken
    }

    /// Ends the threads once all queued calls have run. Until then the threads keep the pool alive.
    package func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        if isFirst { signal(UInt64(threads)) }
    }

    private func signal(_ count: UInt64) {
        var count = count
        while write(semaphore, &count, 8) < 0, errno == EINTR {}
    }

    private func work() {
        var count: UInt64 = 0
        while true {
            guard read(semaphore, &count, 8) == 8 else { continue }
            guard let call = state.withLock({ $0.calls.popFirst() }) else { return }
            call()
        }
    }
}

extension BlockingPool {
    /// The threads for work in memory, which does not wait behind calls that wait for a disk. Never stopped.
    fileprivate static let working = BlockingPool(threads: 2, name: "bytes")
}

extension Loop {
    /// The number of bytes from which `work` leaves the loop. SHA-256 of so many takes a millisecond or less, and a change of threads a fiftieth of that.
    package nonisolated static let longWork = 256 << 10

    /// Frees a value with many parts on another thread, once the caller has let go of it.
    package nonisolated static func release(_ value: some Sendable) { BlockingPool.working.start { withExtendedLifetime(value) {} } }

    /// Runs long work on another thread, then `finish` on the loop, for a caller without a task. The work has no other end.
    package nonisolated static func work<T: Sendable>(_ body: @escaping @Sendable () -> T, finish: @escaping @Loop (T) -> Void) {
        BlockingPool.working.start {
            let value = body()
            execute { finish(value) }
        }
    }

    /// Runs work whose time grows with a number of bytes: here if they are few, else on another thread.
    ///
    /// The work goes on after the waiting task was cancelled, and keeps its bytes until its end.
    /// - Parameter count: the number of bytes that the work reads or writes.
    @Loop
    package static func work<T: Sendable, Failure: Error>(
        on count: Int, _ body: @escaping @Sendable () throws(Failure) -> T
    ) async throws(Failure) -> T {
        guard count >= longWork, let result = try? await BlockingPool.working.run({ Result(catching: body) }) else { return try body() }
        return try result.get()
    }
}

/// Starts a detached thread that runs `body` once. `top -H` and debuggers show `name` (15 bytes are kept).
func startThread(name: String, _ body: @escaping @Sendable () -> Void) {
    final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(name: String(name.prefix(15)), body: body))
    let failure = pthread_create(
        &thread, nil,
        { context in
            let start = Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
            pthread_setname_np(pthread_self(), start.name)
            start.body()
            return nil
        }, start.toOpaque())
    precondition(failure == 0, "cannot start a thread: \(failure)")
    pthread_detach(thread)
}
