import Console
import TintypeCore

/// The rows of a tab, and how they become lines. A value.
struct TopTable: Sendable {
    struct Cell: Sendable, ExpressibleByStringInterpolation {
        var text: String
        var style = ScreenStyle.usual

        init(_ text: String, _ style: ScreenStyle = .usual) { (self.text, self.style) = (ScreenText.harmless(text), style) }
        init(stringLiteral text: String) { self.init(text) }

        /// The columns of a bar in a table.
        static let bar = 10
        static func number(_ value: JSON?) -> Cell { Cell(value?.int.map(String.init) ?? "-") }
        static func bytes(_ value: JSON?) -> Cell { Cell(value?.int.map { HumanNumber.bytes($0) } ?? "-") }
    }

    struct Row: Sendable {
        let id: String
        let cells: [Cell]
        /// The thing that the row shows, for keys that do something with it.
        let item: JSON
    }

    private let columns: [TopColumn]
    private(set) var rows: [Row]

    /// - Parameter now: seconds since 1970.
    init(_ tab: TopTab, _ items: [JSON], now: Double) {
        columns = tab.columns
        rows = (tab.order.map { items.sorted(by: $0) } ?? items).map { item in
            Row(id: tab.id(item), cells: tab.columns.map { $0.cell(item, now) }, item: item)
        }
    }

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
                let cell = texts[index]
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
            let widest = max(ScreenText.columns(columns[index].title), rows.map { ScreenText.columns($0.cells[index].text) }.max() ?? 0)
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

/// A column of a page: its place on the screen, and what it says of an item. A value.
struct TopColumn: Sendable {
    typealias Cell = TopTable.Cell

    let title: String
    var isRight = false
    /// The place in which columns leave a screen that is too narrow: 1 leaves last, nil never.
    var leaves: Int?
    /// Whether the column takes what the others leave. It is the last one.
    var isFlexible = false
    /// Takes an item, and the time in seconds since 1970.
    let cell: @Sendable (JSON, Double) -> Cell

    static func text(
        _ title: String, _ member: String, or absent: String = "", style: ScreenStyle = .usual, leaves: Int? = nil, isFlexible: Bool = false
    ) -> TopColumn {
        TopColumn(title: title, leaves: leaves, isFlexible: isFlexible) { item, _ in Cell(item[member]?.string ?? absent, style) }
    }

    /// - Parameter path: the names of members inside each other.
    static func number(_ title: String, _ path: String..., leaves: Int? = nil) -> TopColumn {
        TopColumn(title: title, isRight: true, leaves: leaves) { item, _ in .number(value(item, path)) }
    }

    /// A number that is trouble unless it is 0.
    static func trouble(_ title: String, _ count: @escaping @Sendable (JSON) -> Int, leaves: Int? = nil) -> TopColumn {
        TopColumn(title: title, isRight: true, leaves: leaves) { item, _ in
            let count = count(item)
            return count > 0 ? Cell("\(count)", .bad) : "0"
        }
    }

    static func age(_ title: String, leaves: Int? = nil, _ seconds: @escaping @Sendable (JSON, Double) -> Double?) -> TopColumn {
        TopColumn(title: title, isRight: true, leaves: leaves) { item, now in Cell(seconds(item, now).map(HumanNumber.age) ?? "-") }
    }

    /// The number that runs, of the most that may.
    static func running(of most: String...) -> TopColumn {
        TopColumn(title: "running", isRight: true) { item, _ in Cell("\(item["running"]?.int ?? 0)/\(value(item, most)?.int ?? 0)") }
    }

    /// The same as a bar.
    static func bar(_ title: String, of most: String...) -> TopColumn {
        TopColumn(title: title, leaves: 1) { item, _ in
            let (running, most) = (item["running"]?.int ?? 0, value(item, most)?.int ?? 0)
            return Cell(Chart.bar(most > 0 ? Double(running) / Double(most) : 0, columns: Cell.bar), .accent)
        }
    }

    private static func value(_ item: JSON, _ path: [String]) -> JSON? { path.reduce(item) { $0?[$1] } }
}
