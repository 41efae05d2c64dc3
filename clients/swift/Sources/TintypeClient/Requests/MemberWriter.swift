/// Collects the members of an object.
public struct MemberWriter {
    /// The members so far.
    public private(set) var object = JSONObject()
    private let withSecrets: Bool

    /// - Parameter withSecrets: whether secrets are written as they are.
    public init(withSecrets: Bool = true) {
        self.withSecrets = withSecrets
    }

    /// Adds a member, unless the value is nil: an option that is not given is not sent.
    public mutating func add(_ name: String, _ value: (any JSONEncodable)?, isSecret: Bool = false) {
        guard let value else { return }
        object.append(name, isSecret && !withSecrets ? "(secret)" : value.json(withSecrets: withSecrets))
    }

    /// Adds the members of a record beside the others.
    public mutating func add(membersOf record: (any Record)?) {
        guard let record else { return }
        for (name, value) in type(of: record).tag { add(name, value) }
        add(membersOf: record.beside)
        let secrets = type(of: record).secrets
        for (name, value) in record.members { add(name, value, isSecret: secrets.contains(name)) }
    }
}

extension JSON {
    /// An object of the members, with those of a record before them.
    init(_ members: Members, beside record: (any Record)? = nil, withSecrets: Bool = true, areSecret: Bool = false) {
        var writer = MemberWriter(withSecrets: withSecrets)
        writer.add(membersOf: record)
        for (name, value) in members { writer.add(name, value, isSecret: areSecret) }
        self = .object(writer.object)
    }
}
