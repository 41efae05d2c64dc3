import TintypeCore
package import TintypeTransport

/// The records of the queue that clients may want replicas to have.
extension ReplicaWaits.Record {
    /// How long the write stays. It begins anew with each wait.
    private static let stay: Int64 = 60_000

    private init(_ keys: QueueKeys, _ question: [RedisArgument], isThere: @escaping @Sendable (RedisReply) -> Bool) {
        self.init(of: keys.tag, question: question, mark: ["SET", .string(keys.durable), "1", "PX", .int(Self.stay)], isThere: isThere)
    }

    /// A receipt, live or ended.
    package static func receipt(_ id: String, of keys: QueueKeys) -> Self {
        Self(keys, ["EXISTS", .string(keys.receipt(id))]) { $0.int == 1 }
    }

    /// A group, running or ended.
    package static func group(_ id: String) -> Self {
        let keys = QueueKeys(QueueKeys.shared.name)
        return Self(keys, ["EXISTS", .string(keys.group(id))]) { $0.int == 1 }
    }

    /// The steps that a call has added to a chain.
    package static func append(_ call: String, to group: String) -> Self {
        let keys = QueueKeys(QueueKeys.shared.name)
        return Self(keys, ["HGET", .string(keys.group(group)), "lastCalls"]) { reply in
            reply.string?.split(separator: " ").contains { $0 == call } ?? false
        }
    }
}
