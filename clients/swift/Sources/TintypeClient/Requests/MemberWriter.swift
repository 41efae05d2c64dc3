/// Collects the members of a ``Record``.
public struct MemberWriter {
    /// The members so far.
    public private(set) var object = JSONObject()
    private let withSecrets: Bool

    /// - Parameter withSecrets: whether secrets are written as they are.
    public init(withSecrets: Bool = true) {
        self.withSecrets = withSecrets
    }

    /// Adds a member, unless the value is nil: an option that is not given is not sent.
    public mutating func add(_ name: String, _ value: (some JSONEncodable)?, isSecret: Bool = false) {
        guard let value else { return }
        object.append(name, isSecret && !withSecrets ? "(secret)" : value.json(withSecrets: withSecrets))
    }

    /// Adds a member with bytes, in base64. A description has their number alone.
    public mutating func add(_ name: String, bytes: [UInt8]?) {
        guard let bytes else { return }
        object.append(name, .string(withSecrets ? Base64.encode(bytes) : "(\(bytes.count) bytes)"))
    }

    /// Adds the members of a record beside the others.
    public mutating func add(membersOf record: (some Record)?) {
        record?.write(to: &self)
    }
}
