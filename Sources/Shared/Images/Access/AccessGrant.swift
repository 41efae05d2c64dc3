package import TintypeCore

/// The rights that one token gives its bearer. A pure value.
package struct AccessGrant: Sendable, Hashable {
    package let role: AccessRole
    /// The only `cache.scope` of its requests; nil: any, or none.
    package let scope: String?
    /// The only queues of its requests, the first by default; empty: any.
    package let queues: [String]
    package let client: ClientIdentity

    /// The rights of every client where no tokens are asked for.
    package static let everything = AccessGrant(role: .admin, client: .anyone)

    package init(role: AccessRole, scope: String? = nil, queues: [String] = [], client: ClientIdentity) {
        (self.role, self.scope, self.queues, self.client) = (role, scope, queues, client)
    }

    /// The owner of the receipts of its requests; nil: only an admin's.
    package var owner: String? { role == .admin ? nil : client.key }

    /// Whether the token may use a receipt.
    /// - Parameter owner: the owner of the receipt (`ReceiptTerms.owner`).
    package func reaches(receiptOf owner: String?) -> Bool { role == .admin || owner == client.key }

    /// Whether the token may use a group.
    /// - Parameter owner: the owner of the group (`GroupRecord.owner`). A group without one was started by an earlier version, and its id is the right to it.
    package func reaches(groupOf owner: String?) -> Bool { owner == nil || reaches(receiptOf: owner) }

    /// - Throws: `forbidden` if the role is too low.
    package func check(_ needed: AccessRole, for what: @autoclosure () -> String) throws(TintypeError) {
        guard role < needed else { return }
        throw TintypeError(
            .forbidden, .admission,
            "\(what()) needs a token of the role \(needed.rawValue), and this one has \(role.rawValue); ask the operator for another token",
            details: ["role": .string(role.rawValue), "needed": .string(needed.rawValue)])
    }
}

/// The rights of a token. Each role includes the ones before it.
package enum AccessRole: String, Sendable, CaseIterable, Comparable {
    /// Requests images, and manages its own receipts and groups.
    case load
    /// Also stores and removes images: `cache.put`, `cache.setMetadata`, `cache.remove`, `cache.purge`, `PUT /images/{key}`, `PUT /uploads`.
    case put
    /// Everything: queues, workers, dead letters, whole caches, the events and receipts of others.
    case admin

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package static func < (one: AccessRole, other: AccessRole) -> Bool { one.rank < other.rank }
}

/// The client behind a request, as queues and logs know it. Never the token.
package struct ClientIdentity: Sendable, Hashable {
    /// 1 to 64 of A–Z a–z 0–9 . _ -; the same at every coordinator. Two tokens with one `name` are one client.
    package let key: String
    /// The `name` of the line of its token or certificate; nil where it has none.
    package let name: String?

    /// Every client of a coordinator without tokens.
    package static let anyone = ClientIdentity(key: "anyone", name: nil)

    /// - Parameters:
    ///   - name: what the operator calls the client.
    ///   - digest: the digest of the token (`AccessTokens.digest`).
    init(name: String?, digest: [UInt8]) {
        // The hash of a hash: the key is in Redis, and shows nothing that could be used to test guesses of a token.
        self = name.map { ClientIdentity.named($0) } ?? ClientIdentity(key: "t-" + Digest.sha256Hex(digest, digits: 16), name: nil)
    }

    private init(key: String, name: String?) { (self.key, self.name) = (key, name) }

    /// Returns the client of a name, whichever token or certificate it uses.
    package static func named(_ name: String) -> ClientIdentity { ClientIdentity(key: "n-\(name)", name: name) }

    /// Identifies the client where limits are shared. It is a digest, so that no list shows the client.
    package var sharer: String { Digest.sha256Hex("client \(key)".utf8, digits: 12) }

    /// For log lines.
    package var shown: String { name ?? key }
}
