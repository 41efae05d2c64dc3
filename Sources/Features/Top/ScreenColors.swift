/// The colors that a terminal can show, and the sequences for them (ECMA-48 §8.3.117, SGR). Pure.
enum ScreenColors: Sendable, Hashable, CaseIterable {
    case none, sixteen, palette, full

    /// - Parameter environment: `NO_COLOR` (https://no-color.org) with any value that is not empty wins. Then `COLORTERM`, then `TERM` count.
    init(environment: [String: String]) {
        let terminal = environment["TERM"] ?? ""
        if environment["NO_COLOR"].map({ !$0.isEmpty }) ?? false || Self.isDumb(environment) {
            self = .none
        } else if ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") {
            self = .full
        } else if terminal.contains("256color") {
            self = .palette
        } else {
            self = .sixteen
        }
    }

    /// Whether the terminal cannot move its cursor.
    static func isDumb(_ environment: [String: String]) -> Bool { ["", "dumb"].contains(environment["TERM"] ?? "") }

    /// Returns the sequence that sets a look, whatever was set before.
    func sequence(_ style: ScreenStyle) -> String {
        var codes = ["0"]
        if style.isBold { codes.append("1") }
        if style.isReversed { codes.append("7") }
        if let code = code(style.color) { codes.append(code) }
        return "\u{1b}[" + codes.joined(separator: ";") + "m"
    }

    private func code(_ color: ScreenStyle.Color) -> String? {
        let (basic, indexed, red, green, blue): (Int, Int, Int, Int, Int)
        switch color {
        case .usual: return nil
        case .faint: (basic, indexed, red, green, blue) = (90, 245, 138, 143, 152)
        case .accent: (basic, indexed, red, green, blue) = (36, 38, 47, 164, 190)
        case .good: (basic, indexed, red, green, blue) = (32, 71, 84, 171, 100)
        case .warning: (basic, indexed, red, green, blue) = (33, 178, 214, 160, 42)
        case .bad: (basic, indexed, red, green, blue) = (31, 167, 222, 84, 84)
        }
        switch self {
        case .none: return nil
        case .sixteen: return "\(basic)"
        case .palette: return "38;5;\(indexed)"
        case .full: return "38;2;\(red);\(green);\(blue)"
        }
    }
}
