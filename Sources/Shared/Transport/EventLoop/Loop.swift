import CEvent
import Glibc

/// The one event loop of the process, as a global actor: `@Loop` names its thread, as `@MainActor` names the main thread.
///
/// Everything that does I/O or keeps coordination state is a `@Loop final class`. Code on the loop must not block: files go through a `BlockingPool`,
/// pixels to other processes.
@globalActor
package actor Loop {
    package static let shared = Loop()
    /// The loop itself. Its thread starts at the first use.
    package nonisolated static let eventLoop = EventLoop(name: "loop")

    package nonisolated var unownedExecutor: UnownedSerialExecutor { Self.eventLoop.asUnownedSerialExecutor() }

    /// Enters the loop's isolation from synchronous code that is already on its thread, such as a C callback. Traps on other threads.
    package nonisolated static func assumeIsolated<T>(_ body: @Loop () throws -> T) rethrows -> T {
        precondition(eventLoop.isOnLoop, "not on the event loop's thread")
        return try withoutActuallyEscaping(body) { body in
            try unsafeBitCast(body, to: (() throws -> T).self)()
        }
    }

    /// Runs `body` on the loop soon, in order with other work from the same caller. May be called from any thread.
    package nonisolated static func execute(_ body: @escaping @Loop () -> Void) {
        eventLoop.execute { assumeIsolated(body) }
    }

    /// Calls `body` with the object that a C library got as its context pointer (unretained). Only on the loop's thread.
    nonisolated static func callback<Object: AnyObject>(
        _ context: UnsafeMutableRawPointer?, _ type: Object.Type, _ body: @Loop (Object) -> Void
    ) {
        precondition(eventLoop.isOnLoop, "a callback came off the event loop's thread")
        guard let context else { return }
        let object = Unmanaged<Object>.fromOpaque(context).takeUnretainedValue()
        eventLoop.turn(of: type) {
            withoutActuallyEscaping(body) { body in
                unsafeBitCast(body, to: ((Object) -> Void).self)(object)
            }
        }
    }

    /// The turns of the loop that took too long.
    @Loop package static var turns: LoopTurns { eventLoop.turns }

    /// Waits on the loop's own timers, never less than `duration`.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    @Loop
    package static func sleep(_ duration: Duration) async throws(CancellationError) {
        do {
            try await OneShot<Void>().wait(within: duration, orElse: .success(()))
        } catch {
            throw CancellationError()
        }
    }
}

extension timeval {
    /// The time span as libevent needs it, rounded up to a microsecond. A negative one counts as zero.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = max(duration, .zero).components
        var microseconds = (attoseconds + 999_999_999_999) / 1_000_000_000_000
        var whole = seconds
        if microseconds >= 1_000_000 {
            microseconds -= 1_000_000
            whole += 1
        }
        self.init(tv_sec: Int(whole), tv_usec: Int(microseconds))
    }
}
