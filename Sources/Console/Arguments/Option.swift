import TintypeCore
import TintypeImages

/// An option of a command. One description serves the parser and the help page.
package struct Option: Sendable {
    let name: String
    let short: Character?
    /// The word that help shows for the value; nil for a switch, which takes no value.
    let placeholder: String?
    let repeats: Bool
    let help: String

    package init(_ name: String, short: Character? = nil, _ placeholder: String?, repeats: Bool = false, _ help: String) {
        (self.name, self.short, self.placeholder, self.repeats, self.help) = (name, short, placeholder, repeats, help)
    }

    /// The option for a parameter of the protocol: `maxConcurrent` becomes `--max-concurrent N`. nil for a parameter that is not a single value.
    init?(_ parameter: ParameterDescription, repeats: Bool = false) {
        guard let placeholder = parameter.placeholder else { return nil }
        let name = parameter.name.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
        let fallback = parameter.defaultValue.map { " Default: \($0.string ?? $0.text)." } ?? ""
        self.init(name, placeholder.isEmpty ? nil : placeholder, repeats: repeats, parameter.summary + fallback)
    }

    var isSwitch: Bool { placeholder == nil }

    var usage: String {
        (short.map { "-\($0), " } ?? "") + "--\(name)" + (placeholder.map { " \($0)" } ?? "")
    }
}

extension ParameterDescription {
    /// The word that help shows for the value. A text shows the name of its parameter.
    var placeholder: String? { type.placeholder == ParameterType.text ? name.uppercased() : type.placeholder }
}

extension ParameterType {
    fileprivate static let text = "TEXT"

    /// The word that help shows for a value of this type: empty for a switch, nil for a type that is not a single value.
    var placeholder: String? {
        switch self {
        case .boolean: ""
        case .string, .pattern: Self.text
        case .integer, .number: "N"
        case .choice(let words): words.joined(separator: "|")
        case .union(let types): types.compactMap(\.placeholder).first { !$0.isEmpty }
        case .array, .object, .map, .variants, .null, .any: nil
        }
    }

    /// Converts the text of a command line to a value of this type. Text that does not fit stays text, and `validate` refuses it.
    func value(_ text: String) -> JSON {
        switch self {
        case .boolean:
            ["true", "yes", "on"].contains(text) ? true : ["false", "no", "off"].contains(text) ? false : .string(text)
        case .integer, .number:
            JSON(number: text) ?? .string(text)
        case .union(let types):
            types.lazy.map { $0.value(text) }.first { if case .string = $0 { false } else { true } } ?? .string(text)
        case .string, .pattern, .choice, .array, .object, .map, .variants, .null, .any:
            .string(text)
        }
    }
}

extension JSON {
    /// A number as typed. nil for other text, and for values that JSON has no number for (`inf`, `nan`).
    init?(number text: String) {
        if let whole = Int64(text) {
            self = .int(whole)
        } else if let number = Double(text), number.isFinite {
            self = .double(number)
        } else {
            return nil
        }
    }
}
