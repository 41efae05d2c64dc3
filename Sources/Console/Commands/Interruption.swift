import Glibc
package import TintypeTransport

/// The first of some signals, usually SIGINT, SIGTERM and SIGHUP, which lets a command clean up before it ends. The second signal ends the process at
/// once, with the default action. A signal that the parent process set to be ignored, as nohup does, stays ignored.
@Loop
package final class Interruption {
    private var watches: [SignalWatch] = []
    private var signal: Int32?
    private let first = OneShot<Void>()

    package init(_ signals: [Int32] = [SIGINT, SIGTERM, SIGHUP]) {
        watches = signals.filter { !SignalWatch.isIgnored($0) }.map { number in
            SignalWatch(number) { [weak self] in self?.received(number) }
        }
    }

    package var hasCome: Bool { signal != nil }

    /// Waits for the first signal.
    /// - Returns: false when the waiting task is cancelled before a signal arrives.
    package func comes() async -> Bool { (try? await first.wait()) != nil }

    /// Ends this process by the signal that arrived. The parent process, such as a shell's loop, must see that the command was interrupted.
    package func end() -> Never {
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
