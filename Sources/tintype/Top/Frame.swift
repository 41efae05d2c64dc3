/// The columns and rows of a screen.
struct ScreenSize: Sendable, Hashable {
    var columns: Int
    var rows: Int
}

/// The content of the screen at one moment: a line for each row, none longer than the screen. A value.
struct Frame: Sendable, Hashable {
    let size: ScreenSize
    let lines: [ScreenLine]

    /// Lines that do not fit are cut or left out.
    init(_ size: ScreenSize, _ lines: [ScreenLine]) {
        self.size = size
        let shown = lines.prefix(size.rows).map { $0.clipped(to: size.columns) }
        self.lines = shown + Array(repeating: ScreenLine(), count: max(0, size.rows - shown.count))
    }

    /// Returns what a terminal has to be sent, so that it shows this frame where it shows `old`.
    ///
    /// Only rows that differ are sent, each as a whole. The rest of a shorter row is erased, and never the last column, where the cursor may wait.
    /// - Parameter old: nil when nobody knows what the terminal shows.
    func changes(from old: Frame?, _ colours: ScreenColours) -> String {
        let known = old?.size == size ? old : nil
        var text = known == nil ? colours.sequence(.usual) + "\u{1b}[2J" : ""
        for (row, line) in lines.enumerated() where known == nil ? line.columns > 0 : known?.lines[row] != line {
            text += "\u{1b}[\(row + 1);1H"
            for span in line.spans { text += colours.sequence(span.style) + span.text }
            if line.columns < size.columns { text += colours.sequence(.usual) + "\u{1b}[K" }
        }
        return text.isEmpty ? "" : text + colours.sequence(.usual)
    }
}
