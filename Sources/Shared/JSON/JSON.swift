/// A JSON value (RFC 8259) as a tree. Values only, usable on any thread.
///
/// Integers that fit 64 bits stay exact; every other number is a double. See `docs/decisions/json.md` for why this is not Codable.
package enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSON])
    case object(JSONObject)

    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
    package var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
    package var isNull: Bool { self == .null }

    /// The number as an integer, also when it was written `3.0`; nil for fractions and what does not fit.
    package var int: Int? {
        switch self {
        case .int(let value): Int(value)
        case .double(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number as a double.
    package var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// A member of an object; nil for other values and absent members.
    package subscript(key: String) -> JSON? { object?[key] }

    /// An element of an array; nil outside its bounds and for other values.
    package subscript(index: Int) -> JSON? {
        guard case .array(let values) = self, values.indices.contains(index) else { return nil }
        return values[index]
    }

    /// What a person calls the type of the value: "a number", "an object"…
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
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

/// The members of a JSON object in the order they were written. Two objects are equal when they hold the same members in any order.
package struct JSONObject: Sendable {
    package private(set) var members: [(key: String, value: JSON)]

    /// Later members win over earlier ones of the same name.
    package init(_ members: [(String, JSON)] = []) {
        self.members = []
        self.members.reserveCapacity(members.count)
        for (key, value) in members { self[key] = value }
    }

    package var keys: [String] { members.map(\.key) }
    package var count: Int { members.count }
    package var isEmpty: Bool { members.isEmpty }

    /// Looked up by walking: objects on our wire have a handful of members, for which hashing costs more.
    package subscript(key: String) -> JSON? {
        get { members.first { $0.key == key }?.value }
        set {
            let index = members.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((key, value))
            case (nil, nil): break
            }
        }
    }

    /// Adds a member that is known to be new; the parser's way in.
    mutating func append(_ key: String, _ value: JSON) { members.append((key, value)) }

    /// This object with the other's members added, the other's winning.
    package func merging(_ other: JSONObject) -> JSONObject {
        var merged = self
        for (key, value) in other.members { merged[key] = value }
        return merged
    }
}

extension JSONObject: Hashable {
    package static func == (a: JSONObject, b: JSONObject) -> Bool {
        a.count == b.count && a.members.allSatisfy { b[$0.key] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        for member in members.sorted(by: { $0.key < $1.key }) {
            hasher.combine(member.key)
            hasher.combine(member.value)
        }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSON)...) { self.init(elements) }
}
