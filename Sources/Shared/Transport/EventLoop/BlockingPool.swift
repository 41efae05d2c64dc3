import CLinux
import Glibc

/// A few threads for calls that block (files, name look-ups), fed first in, first out. The loop awaits the answer.
///
/// The queue has no limit of its own: whoever calls limits what is in flight. A call that began is not interrupted by the
/// cancellation of the task that waits for it.
package final class BlockingPool: Sendable {
    /// The pool was stopped before the call began.
    package struct Stopped: Error {}

    private struct State {
        var calls = FIFO<@Sendable () -> Void>()
        var isStopped = false
    }

    private let state = Locked(State())
    /// An eventfd as a semaphore: one count for each call that waits. Blocking reads of it put the threads to sleep.
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

    /// Runs `body` on one of the threads and returns its answer to the caller's executor.
    /// - Throws: what `body` throws, or `Stopped`.
    package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
            let isTaken = state.withLock { state in
                guard !state.isStopped else { return false }
                state.calls.append { continuation.resume(with: Result(catching: body)) }
                return true
            }
            if isTaken { signal(1) } else { continuation.resume(throwing: Stopped()) }
        }
    }

    /// Runs `body` on one of the threads when its turn has come, and nobody waits for it. Not at all once the pool was stopped.
    package func start(_ body: @escaping @Sendable () -> Void) {
        let isTaken = state.withLock { state in
            if !state.isStopped { state.calls.append(body) }
            return !state.isStopped
        }
        if isTaken { signal(1) }
    }

    /// Ends the threads once what is queued has run. Until then they keep the pool alive.
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
