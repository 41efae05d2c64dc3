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
