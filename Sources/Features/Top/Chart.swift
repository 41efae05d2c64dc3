import Console

/// Small charts of characters. Pure.
enum Chart {
    private static let heights = Array(" ▁▂▃▄▅▆▇█")
    private static let parts = Array(" ▏▎▍▌▋▊▉█")

    /// Returns one column for each value, the highest of them as high as a line. Above 0, the lowest step is always drawn.
    /// - Parameter columns: the latest values are drawn if there are more, on the right if there are fewer.
    static func sparkline(_ values: [Double], columns: Int) -> String {
        let shown = values.suffix(max(0, columns))
        let most = shown.filter(\.isFinite).max() ?? 0
        let marks = shown.map { value -> Character in
            guard value > 0, most > 0, value.isFinite else { return heights[0] }
            return heights[max(1, min(8, Int((value / most * 8).rounded())))]
        }
        return String(repeating: " ", count: max(0, columns - marks.count)) + String(marks)
    }

    /// Returns a bar of a part of 0 to 1, in eighths of a column.
    static func bar(_ part: Double, columns: Int) -> String {
        guard columns > 0 else { return "" }
        let part = part.isFinite ? max(0, min(1, part)) : 0
        var eighths = Int((part * Double(columns) * 8).rounded())
        if part > 0, eighths == 0 { eighths = 1 }
        let (whole, rest) = (eighths / 8, eighths % 8)
        let bar = String(repeating: "█", count: whole) + (rest > 0 ? String(parts[rest]) : "")
        return bar + String(repeating: "·", count: columns - whole - (rest > 0 ? 1 : 0))
    }
}

extension HumanNumber {
    /// A number of events a second: 0.25 → `0.25`, 1234 → `1234`, 56789 → `56k`.
    static func rate(_ value: Double) -> String {
        switch value {
        case ..<0.005: "0"
        case ..<9.95: trimmed(String(Int((value * 100).rounded())))
        case ..<10_000: "\(Int(value.rounded()))"
        case ..<10_000_000: "\(Int(value / 1000))k"
        default: value.isFinite && value < 1e15 ? "\(Int(value / 1_000_000))M" : "-"
        }
    }

    private static func trimmed(_ hundredths: String) -> String {
        let padded = String(repeating: "0", count: max(0, 3 - hundredths.count)) + hundredths
        return "\(padded.dropLast(2)).\(padded.suffix(2))"
    }

    /// A span of time in its largest unit: 75 → `75 s`, 7300 → `2 h`.
    static func age(_ seconds: Double) -> String {
        switch seconds {
        case ..<1: "\(Int((max(0, seconds) * 1000).rounded())) ms"
        case ..<100: "\(Int(seconds)) s"
        case ..<6000: "\(Int(seconds / 60)) min"
        case ..<172_800: "\(Int(seconds / 3600)) h"
        default: seconds < 1e12 ? "\(Int(seconds / 86_400)) d" : "-"
        }
    }
}
