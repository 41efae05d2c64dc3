import CEvent

/// A timer on the loop that runs `body` after a time, once or repeatedly. Releasing the timer cancels it, so keep it.
///
/// Timers run in the order of their due times. One that runs once never runs early; the first run of a repeating one may be early by a tick of the
/// kernel (4 ms). The body may call `cancel` on its own timer.
@Loop
package final class LoopTimer {
    private var event: OpaquePointer?
    private var body: (@Loop () -> Void)?
    private let isRepeating: Bool
    /// The time before which a timer that runs once does not run.
    private let due: ContinuousClock.Instant

    /// - Parameters:
    ///   - delay: time to the first run and, when `repeating`, between runs. Zero means the next turn of the loop.
    package init(after delay: Duration, repeating: Bool = false, _ body: @escaping @Loop () -> Void) {
        self.body = body
        isRepeating = repeating
        due = .now + delay
        let fire: event_callback_fn = { _, _, context in Loop.callback(context, LoopTimer.self) { $0.fire() } }
        let context = Unmanaged.passUnretained(self).toOpaque()
        event = event_new(Loop.eventLoop.base, -1, repeating ? Int16(EV_PERSIST) : 0, fire, context)
        var time = timeval(delay)
        event_add(event, &time)
    }

    isolated deinit {
        cancel()
    }

    /// Whether the timer will still run.
    package var isActive: Bool { event != nil }

    package func cancel() {
        guard let event else { return }
        self.event = nil
        body = nil
        event_free(event)
    }

    private func fire() {
        let body = body
        if !isRepeating {
            // libevent counts by the kernel's coarse clock, which lags by up to a tick. A loop that other work wakes sees the end of the time too soon.
            let rest = due - .now
            if rest > .zero {
                var time = timeval(rest)
                event_add(event, &time)
                return
            }
            cancel()
        }
        body?()
    }
}
