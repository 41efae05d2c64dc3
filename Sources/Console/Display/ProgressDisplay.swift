import Glibc
import TintypeCore
import TintypeTransport

/// The display of a load on standard error: a bar that redraws itself on a terminal, elsewhere a line for each phase. With `silent` it prints nothing.
@Loop
final class ProgressDisplay {
    private enum Mode { case bar, lines, silent }

    private let mode: Mode
    private var bar = ProgressBar()
    private var isDrawn = false

    init(silent: Bool) {
        mode = silent ? .silent : isatty(STDERR_FILENO) == 1 ? .bar : .lines
    }

    func take(_ event: JSON) {
        let isNews = bar.take(event)
        switch mode {
        case .silent: break
        case .lines: if isNews { Output.note(bar.plain) }
        case .bar:
            StandardStream.write(Array("\r\u{1b}[K\(bar.line(width: ScreenSize(of: STDERR_FILENO).columns))".utf8), to: STDERR_FILENO)
            isDrawn = true
        }
    }

    /// Removes the bar, so that the result stands in its place.
    func finish() {
        if isDrawn { StandardStream.write(Array("\r\u{1b}[K".utf8), to: STDERR_FILENO) }
        isDrawn = false
    }
}

/// The columns and rows of a screen.
package struct ScreenSize: Sendable, Hashable {
    package let columns: Int
    package let rows: Int

    package init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }

    /// The size of the terminal at a descriptor; 80 columns and 24 rows if it is unknown.
    package init(of descriptor: Int32) {
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
        self.init(columns: isKnown ? Int(size.ws_col) : 80, rows: isKnown ? Int(size.ws_row) : 24)
    }
}
