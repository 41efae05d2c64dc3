import Glibc
import TintypeCore
import TintypeTransport

/// The display of a load on standard error: a bar that redraws itself on a terminal, elsewhere a line for each phase. With `silent` it prints
/// nothing.
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
            StandardStream.write(Array("\r\u{1b}[K\(bar.line(width: Terminal.size(of: STDERR_FILENO).columns))".utf8), to: STDERR_FILENO)
            isDrawn = true
        }
    }

    /// Removes the bar, so that the result stands in its place.
    func finish() {
        if isDrawn { StandardStream.write(Array("\r\u{1b}[K".utf8), to: STDERR_FILENO) }
        isDrawn = false
    }
}
