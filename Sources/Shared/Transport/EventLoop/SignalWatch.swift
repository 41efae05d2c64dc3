import CEvent
import Glibc

/// Calls `body` on the loop whenever the process gets `signal`. The signal's default action is off while the watch lives.
///
/// The watch ends when it is cancelled or released. Signals that arrive close together may be reported as one.
@Loop
package final class SignalWatch {
    private var event: OpaquePointer?
    private var body: (@Loop () -> Void)?

    package init(_ signal: Int32, _ body: @escaping @Loop () -> Void) {
        self.body = body
        let fire: event_callback_fn = { _, _, context in
            Loop.callback(context, SignalWatch.self) { watch in
                let body = watch.body
                body?()
            }
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        event = event_new(Loop.eventLoop.base, signal, Int16(EV_SIGNAL | EV_PERSIST), fire, context)
        event_add(event, nil)
    }

    /// Returns whether the parent has started this process with `signal` ignored, as nohup does with SIGHUP. Call it before the signal is watched.
    package static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    isolated deinit {
        cancel()
    }

    package func cancel() {
        guard let event else { return }
        self.event = nil
        body = nil
        event_free(event)
    }
}

/// Turns writing to a closed peer into an error instead of the end of the process. The first event loop calls it. An executable that writes before it
/// has a loop calls it itself.
package func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
}

/// Ignores signals without meaning for a server. Log rotation sends SIGUSR1 or SIGUSR2 to any process it knows, and each of these would end the process
/// at once, without a drain. Servers call it before they start.
package func ignoreStraySignals() {
    for stray in [SIGUSR1, SIGUSR2, SIGALRM] { signal(stray, SIG_IGN) }
}
