/// The look of a text on the screen. The terminal decides what the colors are (`ScreenColors`).
struct ScreenStyle: Sendable, Hashable {
    enum Color: Sendable, Hashable, CaseIterable {
        case usual, faint, accent, good, warning, bad
    }

    var color = Color.usual
    var isBold = false
    var isReversed = false

    static let usual = ScreenStyle()
    static let faint = ScreenStyle(color: .faint)
    static let accent = ScreenStyle(color: .accent)
    static let good = ScreenStyle(color: .good)
    static let warning = ScreenStyle(color: .warning)
    static let bad = ScreenStyle(color: .bad)
    static let bold = ScreenStyle(isBold: true)
    static let chosen = ScreenStyle(isReversed: true)
}

/// One line of the screen: texts with their looks. All text in a line is harmless. A value.
struct ScreenLine: Sendable, Hashable {
    struct Span: Sendable, Hashable {
        var text: String
        var style: ScreenStyle
    }

    private(set) var spans: [Span] = []
    private(set) var columns = 0

    init() {}

    init(_ text: String, _ style: ScreenStyle = .usual) { append(text, style) }

    /// The line without looks.
    var text: String { spans.map(\.text).joined() }

    /// Adds a text of any origin.
    mutating func append(_ text: String, _ style: ScreenStyle = .usual) {
        guard !text.isEmpty else { return }
        let text = ScreenText.harmless(text)
        columns += ScreenText.columns(text)
        if spans.last?.style == style { spans[spans.count - 1].text += text } else { spans.append(Span(text: text, style: style)) }
    }

    mutating func append(_ line: ScreenLine) { for span in line.spans { append(span.text, span.style) } }

    /// Adds spaces up to a column.
    mutating func pad(to column: Int, _ style: ScreenStyle = .usual) {
        if columns < column { append(String(repeating: " ", count: column - columns), style) }
    }

    /// Returns the line in at most so many columns.
    func clipped(to most: Int) -> ScreenLine {
        guard columns > most else { return self }
        var line = ScreenLine()
        for span in spans {
            let part = ScreenText.prefix(span.text, most - 1 - line.columns)
            line.append(part, span.style)
            guard part != span.text else { continue }
            if most > 0 { line.append("…", span.style) }
            break
        }
        return line
    }

    /// Returns the line in exactly so many columns, reversed as a whole: the chosen row.
    func chosen(_ columns: Int) -> ScreenLine {
        var line = ScreenLine()
        for span in clipped(to: columns).spans {
            var style = span.style
            style.isReversed = true
            line.append(span.text, style)
        }
        line.pad(to: columns, .chosen)
        return line
    }
}
