import Glibc
import TintypeTransport

/// The first SIGINT, SIGTERM or SIGHUP, which lets a command put things in order before it ends. The second ends it at once, as if nobody had
/// watched. What whoever started this process ignores, such as nohup, stays ignored.
@Loop
final class Interruption {
    private var watches: [SignalWatch] = []
    private var signal: Int32?
    private let first = OneShot<Void>()

    init() {
        watches = [SIGINT, SIGTERM, SIGHUP].filter { !SignalWatch.isIgnored($0) }.map { number in
            SignalWatch(number) { [weak self] in self?.received(number) }
        }
    }

    var hasCome: Bool { signal != nil }

    /// Waits for it.
    /// - Returns: false when the waiting task is cancelled first.
    func comes() async -> Bool { (try? await first.wait()) != nil }

    /// Ends this process by the signal that came: who waits for it, such as a shell's loop, must see that it was interrupted.
    func end() -> Never {
        let number = signal ?? SIGINT
        Glibc.signal(number, SIG_DFL)
        kill(getpid(), number)
        exit(128 + number)
    }

    private func received(_ number: Int32) {
        guard signal == nil else { return }
        signal = number
        watches = []
        first.complete(.success(()))
    }
}
