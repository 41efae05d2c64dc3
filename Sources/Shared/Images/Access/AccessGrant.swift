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
