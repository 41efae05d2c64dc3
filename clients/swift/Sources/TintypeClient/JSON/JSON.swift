/// A JSON value.
///
/// Literals stand for themselves: `let params: JSON = ["url": "https://example.org/a.jpg", "width": 320]`.
public enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number that was written without a fraction or an exponent, and fits.
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object(JSONObject)
}

// MARK: - Reading

extension JSON {
    /// The member of a name, if this is an object that has one.
    public subscript(name: String) -> JSON? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The element at an index, if this is an array that has one.
    public subscript(index: Int) -> JSON? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    public var isNull: Bool { self == .null }

    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, if it is whole and fits.
    public var intValue: Int? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int(exactly: value)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The number, rounded to the nearest `Double`.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    public var arrayValue: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    public var objectValue: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }
}

// MARK: - Literals

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(JSONObject(elements)) }
}

extension JSON: CustomStringConvertible {
    /// The text of the value, without spaces.
    public var description: String {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
