/// Reads the members of an object into the properties of a ``Record``.
public struct MemberReader {
    private let members: JSONObject
    /// The place after the member that was found last. The service writes members in one order, so most are found there.
    private var next = 0

    /// - Throws: ``AnswerFault`` when the value is no object.
    public init(_ json: JSON) throws(AnswerFault) {
        members = try JSONObject(json: json)
    }

    /// The value of a member; nil if the member is absent or null.
    public mutating func read<Value: JSONDecodable>(_ name: String) throws(AnswerFault) -> Value? {
        guard let value = find(name) else { return nil }
        if case .null = value { return nil }
        do { return try Value(json: value) } catch { throw error.within(name) }
    }

    /// The value of a member that every answer has.
    /// - Throws: ``AnswerFault`` also when the member is absent.
    public mutating func require<Value: JSONDecodable>(_ name: String) throws(AnswerFault) -> Value {
        guard let value = find(name) else { throw AnswerFault(expected: "there", found: nil).within(name) }
        do { return try Value(json: value) } catch { throw error.within(name) }
    }

    private mutating func find(_ name: String) -> JSON? {
        guard let place = members.place(of: name, from: next) else { return nil }
        next = place + 1
        return members[place].value
    }
}
