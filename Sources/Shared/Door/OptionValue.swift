import TintypeCore
import TintypeImages

/// The type of an argument of an option. Every argument is read by its type before the option sees it.
enum OptionType: Sendable {
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    /// `1`, `t`, `true`, `0`, `f`, `false`, as Go's ParseBool reads them.
    case flag
    case word([String])
    /// Three or six hexadecimal digits.
    case color
    /// A text in URL-safe Base64.
    case base64
    case text

    /// The type for documents and refusals.
    var expectation: String {
        switch self {
        case .integer(let range) where range.upperBound == .max: "a whole number from \(range.lowerBound)"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range) where range.upperBound == .infinity: "a number from \(JSON(range.lowerBound).text)"
        case .number(let range) where range.lowerBound == -.infinity: "a number"
        case .number(let range): "a number from \(JSON(range.lowerBound).text) to \(JSON(range.upperBound).text)"
        case .flag: "1, t, true, 0, f or false"
        case .word(let words): "one of " + words.joined(separator: ", ")
        case .color: "a color of three or six hexadecimal digits"
        case .base64: "a text in URL-safe Base64"
        case .text: "a text"
        }
    }

    /// Reads an argument; nil if it has another type.
    func read(_ text: String) -> OptionValue? {
        switch self {
        case .integer(let range): Self.number(text, mayHavePoint: false).flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? .int($0) : nil }
        case .number(let range): Self.number(text, mayHavePoint: true).flatMap { range.contains($0) ? .number($0) : nil }
        case .flag: Self.flags[text].map { .flag($0) }
        case .word(let words): words.contains(text) ? .text(text) : nil
        case .color: Color("#" + text).flatMap { [3, 6].contains(text.utf8.count) ? .color($0) : nil }
        case .base64:
            Base64.bytes(of: Array(text.utf8)).flatMap { String(validating: $0, as: UTF8.self) }.flatMap { $0.isEmpty ? nil : .text($0) }
        case .text: .text(text)
        }
    }

    private static let flags = [
        "1": true, "t": true, "T": true, "true": true, "True": true, "TRUE": true,
        "0": false, "f": false, "F": false, "false": false, "False": false, "FALSE": false,
    ]

    /// Decimal digits with a sign, and a point if allowed. Swift alone would read hexadecimal digits, infinity and exponents, too.
    private static func number(_ text: String, mayHavePoint: Bool) -> Double? {
        guard (1...24).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2d || $0 == 0x2b || mayHavePoint && $0 == 0x2e })
        else { return nil }
        return Double(text)
    }
}

enum OptionValue: Sendable, Hashable {
    case int(Int)
    case number(Double)
    case flag(Bool)
    case text(String)
    case color(Color)
}

/// An argument in the description of an option.
struct OptionArgument: Sendable {
    let name: String
    let type: OptionType
    /// Whether the option needs it. Any other argument may be left out or empty, and then changes nothing.
    let isRequired: Bool

    init(_ name: String, _ type: OptionType, required: Bool = false) {
        (self.name, self.type, isRequired) = (name, type, required)
    }
}

/// The type of an argument whose value is that of a member.
struct MemberType<Value>: Sendable {
    let type: OptionType
    let value: @Sendable (OptionValues) -> Value?
}

extension MemberType<Bool> {
    static var flag: Self { Self(type: .flag) { $0.flag(0) } }
}

extension MemberType<Int> {
    static func integer(_ range: ClosedRange<Int>) -> Self { Self(type: .integer(range)) { $0.int(0) } }
}

extension MemberType<Double> {
    static func number(_ range: ClosedRange<Double>) -> Self { Self(type: .number(range)) { $0.number(0) } }
}

/// The arguments of one option, read by their types. nil: left out or empty.
struct OptionValues: Sendable {
    let values: [OptionValue?]

    subscript(index: Int) -> OptionValue? { values.indices.contains(index) ? values[index] : nil }
    func int(_ index: Int) -> Int? { if case .int(let value) = self[index] { value } else { nil } }
    func number(_ index: Int) -> Double? { if case .number(let value) = self[index] { value } else { nil } }
    func flag(_ index: Int) -> Bool? { if case .flag(let value) = self[index] { value } else { nil } }
    func text(_ index: Int) -> String? { if case .text(let value) = self[index] { value } else { nil } }
    func color(_ index: Int) -> Color? { if case .color(let value) = self[index] { value } else { nil } }
    /// All texts from an argument on.
    func texts(from index: Int) -> [String] { values.dropFirst(index).compactMap { if case .text(let value) = $0 { value } else { nil } } }
    /// The arguments from one on, as those of another option.
    func dropping(_ count: Int) -> OptionValues { OptionValues(values: Array(values.dropFirst(count))) }
}
