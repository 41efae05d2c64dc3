/// Columns of text for a terminal. The cells are made `plain`; the last column is never padded.
struct Table {
    private var rows: [[String]]

    init(_ header: String...) {
        rows = [header]
    }

    mutating func add(_ cells: String...) {
        rows.append(cells.map(\.plain))
    }

    var text: String {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        let lines = rows.map { row in
            row.enumerated().map { index, cell in
                index == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[index] - cell.count + 2)
            }.joined()
        }
        return lines.joined(separator: "\n")
    }
}

/// Numbers in a form for people.
package enum HumanNumber {
    /// 829183 → `829 kB`.
    package static func bytes(_ count: Int) -> String {
        switch count {
        case ..<1000: "\(count) B"
        case ..<10_000: tenths(count, 1000) + " kB"
        case ..<1_000_000: "\(count / 1000) kB"
        case ..<10_000_000: tenths(count, 1_000_000) + " MB"
        default: "\(count / 1_000_000) MB"
        }
    }

    /// 0.0123 → `12 ms`.
    package static func seconds(_ value: Double) -> String {
        if value < 0.001 { return "\(Int((value * 1_000_000).rounded())) µs" }
        if value < 1 { return "\(Int((value * 1000).rounded())) ms" }
        return value < 100 ? "\((value * 10).rounded() / 10) s" : "\(Int(value)) s"
    }

    private static func tenths(_ count: Int, _ unit: Int) -> String {
        let tenths = count * 10 / unit
        return "\(tenths / 10).\(tenths % 10)"
    }
}
