/// A value that JSON can become.
public protocol JSONDecodable {
    /// Members that this version does not know are left out.
    /// - Throws: ``AnswerFault`` when the value has another shape.
    init(json: JSON) throws(AnswerFault)
}

/// A value that becomes JSON.
public protocol JSONEncodable {
    /// - Parameter withSecrets: false for a text that people or logs may see. A secret is then replaced by a few words.
    func json(withSecrets: Bool) -> JSON
}

extension JSONEncodable {
    /// The value as the service gets it, with its secrets.
    public var json: JSON { json(withSecrets: true) }
}

/// A value of the protocol. Its description is its JSON without secrets.
public protocol ProtocolValue: JSONDecodable, JSONEncodable, Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension ProtocolValue {
    public var description: String { "\(Self.self)(\(json(withSecrets: false)))" }
    public var debugDescription: String { description }
    /// No members: a reflection would show secrets, as `dump` does.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: EmptyCollection<Never>()) }
}

/// The members of an object; those that are nil are not written.
public typealias Members = KeyValuePairs<String, (any JSONEncodable)?>

/// An object with named members: an operation, options, a result or an event.
public protocol Record: ProtocolValue {
    /// Reads the members in their order.
    init(_ members: inout MemberReader) throws(AnswerFault)
    var members: Members { get }
    /// The members that tell the type from others, such as `op` of an operation.
    static var tag: Members { get }
    /// The names of the members that no description shows.
    static var secrets: Set<String> { get }
    /// A record whose members stand before those of this one.
    var beside: (any Record)? { get }
}

extension Record {
    public static var tag: Members { [:] }
    public static var secrets: Set<String> { [] }
    public var beside: (any Record)? { nil }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        try self.init(&members)
    }

    public func json(withSecrets: Bool) -> JSON { JSON([:], beside: self, withSecrets: withSecrets) }
}

// MARK: - Values of the language

extension JSON: JSONDecodable, JSONEncodable {
    public init(json: JSON) { self = json }
    public func json(withSecrets: Bool) -> JSON { self }
}

extension JSONObject: JSONDecodable, JSONEncodable {
    public init(json: JSON) throws(AnswerFault) {
        guard case .object(let members) = json else { throw AnswerFault(expected: "an object", found: json) }
        self = members
    }
    public func json(withSecrets: Bool) -> JSON { .object(self) }
}

extension Bool: JSONDecodable, JSONEncodable {
    public init(json: JSON) throws(AnswerFault) {
        guard case .bool(let value) = json else { throw AnswerFault(expected: "true or false", found: json) }
        self = value
    }
    public func json(withSecrets: Bool) -> JSON { .bool(self) }
}

extension Int: JSONDecodable, JSONEncodable {
    public init(json: JSON) throws(AnswerFault) {
        guard let value = json.intValue else { throw AnswerFault(expected: "a whole number", found: json) }
        self = value
    }
    public func json(withSecrets: Bool) -> JSON { .integer(self) }
}

extension Double: JSONDecodable, JSONEncodable {
    public init(json: JSON) throws(AnswerFault) {
        guard let value = json.doubleValue else { throw AnswerFault(expected: "a number", found: json) }
        self = value
    }
    public func json(withSecrets: Bool) -> JSON { .number(self) }
}

extension String: JSONDecodable, JSONEncodable {
    public init(json: JSON) throws(AnswerFault) {
        guard case .string(let value) = json else { throw AnswerFault(expected: "a text", found: json) }
        self = value
    }
    public func json(withSecrets: Bool) -> JSON { .string(self) }
}

/// A number of a list. A list of them is one text on the wire.
extension UInt8: JSONDecodable, JSONEncodable {
    public init(json: JSON) throws(AnswerFault) {
        guard let value = json.intValue.flatMap(UInt8.init(exactly:)) else { throw AnswerFault(expected: "a byte", found: json) }
        self = value
    }
    public func json(withSecrets: Bool) -> JSON { .integer(Int(self)) }
}

/// Bytes are a text in base64. A description has their number alone.
extension Array: JSONDecodable where Element: JSONDecodable {
    public init(json: JSON) throws(AnswerFault) {
        if Element.self == UInt8.self {
            let text = try String(json: json)
            guard let bytes = Base64.decode(text) as? [Element] else { throw AnswerFault(expected: "bytes in base64", found: json) }
            self = bytes
            return
        }
        guard case .array(let elements) = json else { throw AnswerFault(expected: "an array", found: json) }
        self = []
        reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do { append(try Element(json: element)) } catch { throw error.within("[\(index)]") }
        }
    }
}

extension Array: JSONEncodable where Element: JSONEncodable {
    public func json(withSecrets: Bool) -> JSON {
        guard Element.self == UInt8.self, let bytes = self as? [UInt8] else { return .array(map { $0.json(withSecrets: withSecrets) }) }
        return .string(withSecrets ? Base64.encode(bytes) : "(\(bytes.count) bytes)")
    }
}

extension Dictionary: JSONDecodable where Key == String, Value: JSONDecodable {
    public init(json: JSON) throws(AnswerFault) {
        guard case .object(let members) = json else { throw AnswerFault(expected: "an object", found: json) }
        self = [:]
        reserveCapacity(members.count)
        for (name, value) in members {
            do { self[name] = try Value(json: value) } catch { throw error.within(name) }
        }
    }
}

extension Dictionary: JSONEncodable where Key == String, Value: JSONEncodable {
    /// The members are in the order of their names, so that equal values have equal texts.
    public func json(withSecrets: Bool) -> JSON {
        .object(JSONObject(sorted { $0.key < $1.key }.map { ($0.key, $0.value.json(withSecrets: withSecrets)) }))
    }
}
