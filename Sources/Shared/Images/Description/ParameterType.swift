package import TintypeCore

/// The values that a parameter accepts. Validation, JSON Schema, reference pages and error texts all come from this description.
package indirect enum ParameterType: Sendable {
    case boolean
    case string(maxLength: Int = 65536)
    /// A string that must satisfy a rule; `expectation` is the rule in words.
    case pattern(expectation: String, rule: @Sendable (String) -> Bool)
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case choice([String])
    case array(of: ParameterType, count: ClosedRange<Int>)
    /// An object of exactly these members.
    case object([ParameterDescription])
    /// An object with any names and values of one type; `most` limits the members.
    case map(of: ParameterType, most: Int = .max)
    /// An object whose member `tag` names one of several shapes.
    case variants(tag: String, [(name: String, members: [ParameterDescription])])
    case union([ParameterType])
    /// An explicit null.
    case null
    case any

    /// The accepted values, in words that follow "expected".
    package var expectation: String {
        switch self {
        case .boolean: "true or false"
        case .string(let most): most >= 65536 ? "a string" : "a string of at most \(most) bytes"
        case .pattern(let text, _): text
        case .integer(let range): "an integer\(Self.span(range.lowerBound == .min, range.upperBound == .max, "\(range.lowerBound)", "\(range.upperBound)"))"
        case .number(let range):
            "a number\(Self.span(range.lowerBound == -.infinity, range.upperBound == .infinity, JSON(range.lowerBound).text, JSON(range.upperBound).text))"
        case .choice(let names): names.count == 1 ? "\"\(names[0])\"" : "one of " + names.map { "\"\($0)\"" }.joined(separator: ", ")
        case .array(let type, let count):
            "an array of \(count.lowerBound) to \(count.upperBound) values, each \(type.expectation)"
        case .object(let members): "an object with \(members.map(\.name).joined(separator: ", "))"
        case .map(let type, .max): "an object whose values are each \(type.expectation)"
        case .map(let type, let most): "an object of at most \(most) members whose values are each \(type.expectation)"
        case .variants(let tag, let all): "an object whose \(tag) is one of " + all.map { "\"\($0.name)\"" }.joined(separator: ", ")
        case .union(let types): types.map(\.expectation).joined(separator: ", or ")
        case .null: "null"
        case .any: "any JSON value"
        }
    }

    private static func span(_ hasNoLow: Bool, _ hasNoHigh: Bool, _ low: String, _ high: String) -> String {
        switch (hasNoLow, hasNoHigh) {
        case (true, true): ""
        case (false, true): " of at least \(low)"
        case (true, false): " of at most \(high)"
        case (false, false): " from \(low) to \(high)"
        }
    }

    /// Checks a value and its members.
    /// - Throws: `invalidParams` for the first mistake, with path, value and expectation.
    package func validate(_ value: JSON, at path: String) throws(TintypeError) {
        let isFine: Bool
        switch (self, value) {
        case (.boolean, .bool), (.null, .null), (.any, _): isFine = true
        case (.string(let most), .string(let text)): isFine = text.utf8.count <= most
        case (.pattern(_, let rule), .string(let text)): isFine = rule(text)
        case (.integer(let range), .int), (.integer(let range), .double): isFine = value.int.map { range.contains($0) } ?? false
        case (.number(let range), .int), (.number(let range), .double): isFine = value.double.map { range.contains($0) } ?? false
        case (.choice(let names), .string(let text)):
            isFine = names.contains { $0.isExactly(text) }
            if !isFine { throw Self.unknownWord(text, among: names, at: path, expected: expectation) }
        case (.array(let type, let count), .array(let values)):
            isFine = count.contains(values.count)
            if isFine { for (index, element) in values.enumerated() { try type.validate(element, at: "\(path)[\(index)]") } }
        case (.object(let members), .object(let object)):
            return try ParameterDescription.validate(object, members, at: path)
        case (.map(_, let most), .object(let object)) where object.count > most:
            throw .invalidParams(path: path, value: JSON(object.count), expected: expectation)
        case (.map(.any, _), .object): isFine = true
        case (.map(let type, _), .object(let object)):
            for member in object.members { try type.validate(member.value, at: Self.join(path, member.key)) }
            return
        case (.variants(let tag, let all), .object(let object)):
            return try validate(object, tag, all, at: path)
        case (.union(let types), _):
            return try validate(value, oneOf: types, at: path)
        default: isFine = false
        }
        guard isFine else { throw .invalidParams(path: path, value: value, expected: expectation) }
    }

    private func validate(
        _ object: JSONObject, _ tag: String, _ all: [(name: String, members: [ParameterDescription])], at path: String
    ) throws(TintypeError) {
        try ParameterType.choice(all.map(\.name)).validate(object[tag] ?? .null, at: Self.join(path, tag))
        guard let variant = all.first(where: { .string($0.name) == object[tag] }) else { return }
        try ParameterDescription.validate(object, variant.members, beside: tag, at: path)
    }

    /// Returns the error of a word that is none of `names`. A word of a few letters, or one that resembles a name, is a slip and no secret, so the error
    /// repeats it.
    private static func unknownWord(_ word: String, among names: [String], at path: String, expected: String) -> TintypeError {
        let near = NearestName.of(word, among: names)
        let isWord = word.utf8.count <= 16 && word.utf8.allSatisfy { (0x61...0x7a).contains($0 | 0x20) || $0 == UInt8(ascii: "-") }
        let shown = near != nil || isWord ? JSON.string(word) : JSON.string(word).shown
        return .invalidParams(path: path, shown: shown, expected: expected + (near.map { " (did you mean \"\($0)\"?)" } ?? ""))
    }

    /// Checks a value against alternatives. The helpful error is that of the likely alternative: its error lies inside the value, and it knows most of the
    /// members, misspelled ones included. If no alternative is more likely than the others, the error names all.
    private func validate(_ value: JSON, oneOf types: [ParameterType], at path: String) throws(TintypeError) {
        var meant: (error: TintypeError, strange: UnknownMembers, isAlone: Bool)?
        for type in types {
            do throws(TintypeError) {
                return try type.validate(value, at: path)
            } catch {
                guard error.details["path"] != .string(path) else { continue }
                let strange = UnknownMembers(in: value, to: type)
                if let best = meant, best.strange <= strange {
                    if best.strange == strange { meant?.isAlone = false }
                } else {
                    meant = (error, strange, true)
                }
            }
        }
        if let meant, meant.isAlone { throw meant.error }
        throw .invalidParams(path: path, value: value, expected: expectation)
    }

    /// Whether a byte is a letter, a digit, or one of # $ * - . : @ [ ] _
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x23...0x24, 0x2a, 0x2d...0x2e, 0x30...0x3a, 0x40...0x5b, 0x5d, 0x5f, 0x61...0x7a: true
        default: false
        }
    }

    /// Joins `a` and `b` to the path that people read: `fetch.timeouts`. A client may have made up the name of a member, out of a secret or a megabyte.
    /// So only a plain name of at most 64 bytes is repeated.
    package static func join(_ path: String, _ name: String) -> String {
        let name = name.utf8.count <= 64 && name.utf8.allSatisfy(isPlain) ? name : "(a name of \(name.utf8.count) bytes)"
        return path.isEmpty ? name : "\(path).\(name)"
    }
}
