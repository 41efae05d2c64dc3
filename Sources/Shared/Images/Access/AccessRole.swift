/// What the bearer of a token may do. Each role holds the ones before it.
package enum AccessRole: String, Sendable, CaseIterable, Comparable {
    /// Asks for images, and looks after its own receipts and groups.
    case load
    /// Also brings images and forgets them: `cache.put`, `cache.setMetadata`, `cache.remove`, `PUT /images/{key}`.
    case put
    /// Everything: queues, workers, dead letters, whole caches, the events and receipts of others.
    case admin

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package static func < (one: AccessRole, other: AccessRole) -> Bool { one.rank < other.rank }
}
