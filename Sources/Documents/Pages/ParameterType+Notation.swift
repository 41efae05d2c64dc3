import TintypeCore
import TintypeImages

extension ParameterType {
    /// The accepted values in the short words of the reference page.
    /// - Parameter values: types that a link replaces.
    func notation(naming values: [SharedValue] = []) -> String {
        if let shared = values.first(where: { $0.type.expectation == expectation }) { return shared.link }
        switch self {
        case .boolean: return "boolean"
        case .string(let most): return most >= 65536 ? "string" : "string of at most \(most) bytes"
        case .pattern(let text, _): return text
        case .integer(let range):
            return "integer" + Self.bounds(range.lowerBound == .min ? nil : "\(range.lowerBound)", range.upperBound == .max ? nil : "\(range.upperBound)")
        case .number(let range):
            let (low, high) = (range.lowerBound, range.upperBound)
            return "number" + Self.bounds(low == -.infinity ? nil : JSON(low).text, high == .infinity ? nil : JSON(high).text)
        case .choice(let names): return Self.choice(names, values)
        case .array(.variants(let tag, _), let count): return "array of \(Self.range(count)): [operation](#operations), named by `\(tag)`"
        case .array(let type, let count): return "array of \(Self.range(count)): \(type.notation(naming: values))"
        case .object(let members): return "`{\(members.map(\.name).joined(separator: ", "))}`"
        case .map(.any, .max): return "object"
        case .map(let type, .max): return "object of \(type.notation(naming: values))"
        case .map(let type, let most): return "object of at most \(most): \(type.notation(naming: values))"
        case .variants(let tag, let all): return "object whose `\(tag)` is \(Self.listed(all.map { "`\($0.name)`" }))"
        case .union(let types): return Self.listed(types.map { $0.notation(naming: values) })
        case .null: return "null"
        case .any: return "any JSON"
        }
    }

    /// A choice that includes all names of a shared one links to it for these.
    private static func choice(_ names: [String], _ values: [SharedValue]) -> String {
        let shared = values.first { !$0.names.isEmpty && Set($0.names).isSubset(of: names) }
        let own = names.filter { !(shared?.names.contains($0) ?? false) }.map { "`\"\($0)\"`" }
        return listed(own + (shared.map { [$0.link] } ?? []))
    }

    private static func listed(_ words: [String]) -> String {
        words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    }

    static func range(_ range: ClosedRange<Int>) -> String {
        range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range.lowerBound)…\(range.upperBound)"
    }

    private static func bounds(_ low: String?, _ high: String?) -> String {
        switch (low, high) {
        case (nil, nil): ""
        case (let low?, nil): " ≥ \(low)"
        case (nil, let high?): " ≤ \(high)"
        case (let low?, let high?): " \(low)…\(high)"
        }
    }
}
