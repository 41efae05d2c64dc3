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

/// An object with named members: an operation, options, a result or an event.
public protocol Record: ProtocolValue {
    /// Adds the members that are given.
    func write(to members: inout MemberWriter)
}

extension Record {
    public func json(withSecrets: Bool) -> JSON {
        var members = MemberWriter(withSecrets: withSecrets)
        write(to: &members)
        return .object(members.object)
    }
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

extension Array: JSONDecodable where Element: JSONDecodable {
    public init(json: JSON) throws(AnswerFault) {
        guard case .array(let elements) = json else { throw AnswerFault(expected: "an array", found: json) }
        self = []
        reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do { append(try Element(json: element)) } catch { throw error.within("[\(index)]") }
        }
    }
}

extension Array: JSONEncodable where Element: JSONEncodable {
    public func json(withSecrets: Bool) -> JSON { .array(map { $0.json(withSecrets: withSecrets) }) }
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
