import Glibc
import TintypeCore
import TintypeTransport

/// The terminal of this process: raw input and the alternate screen, from `enter` to `leave`. Lives on the loop.
///
/// Its sequences are those of xterm, which every terminal of today knows. So no terminfo is read, and no library is needed.
@Loop
final class Terminal {
    /// The settings before `enter`; nil outside.
    private var before: termios?

    /// Whether both ends are the terminal of a person.
    static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// The alternate screen, without a cursor and without lines that wrap. Pastes are marked, so that their letters are no keys.
    private nonisolated static let entry = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[?2004h"
    /// The same back, in the opposite order.
    private nonisolated static let exit = "\u{1b}[0m\u{1b}[?2004l\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    /// Keys arrive one by one from now on, Ctrl-C too.
    ///
    /// A second call does the same again, because a shell sets its own modes while this process is stopped. `leave` still restores what was there first.
    func enter() {
        var settings = termios()
        if let before {
            settings = before
        } else {
            guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
            before = settings
        }
        cfmakeraw(&settings)
        // In the background, this stops the process before it writes to the screen of the shell.
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        write(Self.entry)
    }

    /// Gives the terminal back as it was. A second call does nothing.
    func leave() {
        guard var settings = before else { return }
        before = nil
        write(Self.exit)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }

    /// - Returns: false when the terminal is gone.
    @discardableResult
    func write(_ text: String) -> Bool { text.isEmpty || StandardStream.write(Array(text.utf8), to: STDOUT_FILENO) }

    /// Returns the bytes that were typed; nil when the terminal is gone.
    func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        return count > 0 ? Array(buffer[..<count]) : nil
    }
}
