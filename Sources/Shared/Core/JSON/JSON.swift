/// A JSON value (RFC 8259) as a tree. A pure value, for any thread.
///
/// Integers that fit 64 bits stay exact. Every other number is a double, unless the reader keeps numbers as written. `docs/decisions/json.md` gives the
/// reasons against Codable.
package enum JSON: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSON])
    case object(JSONObject)
    /// A text that is written as it came and never parsed: a body that is passed on, or a number with all its digits.
    case raw(JSONText)

    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
    package var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
    package var isNull: Bool { if case .null = self { true } else { false } }

    /// The number as an integer, also for `3.0`; nil for fractions and for numbers out of range.
    package var int: Int? {
        switch self {
        case .int(let value): Int(value)
        case .double(let value): Int(exactly: value)
        case .null, .bool, .string, .array, .object, .raw: nil
        }
    }

    package var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .null, .bool, .string, .array, .object, .raw: nil
        }
    }

    /// A member of an object; nil for other values and absent members.
    package subscript(key: String) -> JSON? { object?[key] }

    /// An element of an array; nil outside its bounds and for other values.
    package subscript(index: Int) -> JSON? {
        guard case .array(let values) = self, values.indices.contains(index) else { return nil }
        return values[index]
    }

    /// The name of the value's type for people: "a number", "an object"…
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        case .raw(let text): text.kind
        }
    }

    /// The value for an error or a log: numbers, booleans and null as they are. Any other value may be a secret, so its kind stands for it.
    package var shown: JSON {
        switch self {
        case .null, .bool, .int, .double: self
        case .string(let text): .string("(a string of \(text.utf8.count) bytes)")
        case .array, .object, .raw: .string("(\(kind))")
        }
    }
}

/// Texts are compared as bytes (`ExactText`), members of an object in any order.
extension JSON: Hashable {
    package static func == (one: JSON, other: JSON) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.int(let one), .int(let other)): one == other
        case (.double(let one), .double(let other)): one == other
        case (.string(let one), .string(let other)): one.isExactly(other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        case (.raw(let one), .raw(let other)): one == other
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): value.hashExactly(into: &hasher)
        case .array(let values): hasher.combine(values)
        case .object(let object): hasher.combine(object)
        case .raw(let text): hasher.combine(text)
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) { self = .object(JSONObject(elements)) }
    package init(nilLiteral: ()) { self = .null }

    package init(_ value: Int) { self = .int(Int64(value)) }
    package init(_ value: Double) { self = .double(value) }
    package init(_ value: String) { self = .string(value) }
    package init(_ value: Bool) { self = .bool(value) }
}
