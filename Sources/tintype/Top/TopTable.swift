import TintypeCore

/// The rows of a tab, and how they become lines. A value.
struct TopTable: Sendable {
    struct Column: Sendable {
        let title: String
        var isRight = false
        /// The place in which columns leave a screen that is too narrow: 1 leaves last, nil never.
        var leaves: Int?
        /// Whether the column takes what the others leave. It is the last one.
        var isFlexible = false
    }

    struct Cell: Sendable, ExpressibleByStringInterpolation {
        var text: String
        var style = ScreenStyle.usual

        init(_ text: String, _ style: ScreenStyle = .usual) { (self.text, self.style) = (ScreenText.harmless(text), style) }
        init(stringLiteral text: String) { self.init(text) }
    }

    struct Row: Sendable {
        /// Names the row for as long as it is there, also when others come and go.
        let id: String
        let cells: [Cell]
        /// The thing that the row shows, for keys that do something with it.
        let item: JSON
    }

    let columns: [Column]
    private(set) var rows: [Row] = []
    /// The text of an empty table.
    let whenEmpty: String

    init(_ columns: [Column], whenEmpty: String) { (self.columns, self.whenEmpty) = (columns, whenEmpty) }

    mutating func add(_ id: String, _ item: JSON, _ cells: Cell...) { rows.append(Row(id: id, cells: cells, item: item)) }

    /// Returns the table with the rows that have a text in some cell, in any case.
    func filtered(_ filter: String) -> TopTable {
        guard !filter.isEmpty else { return self }
        let wanted = filter.lowercased()
        var table = self
        table.rows = rows.filter { row in row.cells.contains { $0.text.lowercased().contains(wanted) } }
        return table
    }

    /// The columns that a flexible one keeps on a narrow screen.
    private static let least = 16
    /// The most columns of one that is not flexible.
    private static let most = 36
    private static let gap = 2

    /// Returns the title line and a line for each row.
    /// - Parameter range: the rows to show.
    func lines(_ range: Range<Int>, columns width: Int) -> (title: ScreenLine, rows: [ScreenLine]) {
        let plan = plan(width)
        func line(_ texts: [Cell]) -> ScreenLine {
            var line = ScreenLine()
            for (index, columns) in plan {
                if line.columns > 0 { line.append(String(repeating: " ", count: Self.gap)) }
                let cell = index < texts.count ? texts[index] : ""
                let isLast = index == plan.last?.index && !self.columns[index].isRight
                let text = isLast ? ScreenText.clipped(cell.text, to: columns) : ScreenText.padded(cell.text, to: columns, right: self.columns[index].isRight)
                line.append(text, cell.style)
            }
            return line
        }
        return (line(columns.map { Cell($0.title, .faint) }), rows[range].map { line($0.cells) })
    }

    /// Returns the columns that fit, each with its width.
    private func plan(_ width: Int) -> [(index: Int, columns: Int)] {
        let natural = columns.indices.map { index in
            let texts = rows.map { index < $0.cells.count ? ScreenText.columns($0.cells[index].text) : 0 }
            let widest = max(ScreenText.columns(columns[index].title), texts.max() ?? 0)
            return columns[index].isFlexible ? widest : min(Self.most, widest)
        }
        var kept = Array(columns.indices)
        func needed() -> Int {
            kept.reduce(0) { $0 + (columns[$1].isFlexible ? min(Self.least, natural[$1]) : natural[$1]) } + Self.gap * max(0, kept.count - 1)
        }
        while needed() > width, let first = kept.filter({ columns[$0].leaves != nil }).max(by: { (columns[$0].leaves ?? 0) < (columns[$1].leaves ?? 0) }) {
            kept.removeAll { $0 == first }
        }
        let fixed = kept.reduce(0) { $0 + (columns[$1].isFlexible ? 0 : natural[$1]) } + Self.gap * max(0, kept.count - 1)
        return kept.map { ($0, columns[$0].isFlexible ? max(1, min(natural[$0], width - fixed)) : natural[$0]) }
    }
}
