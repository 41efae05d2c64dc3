/// How many fetches of a host may run at once by the operator's rules, where a queue says nothing of the host itself: `Queue.setDefaults`.
/// A pure value.
package struct HostLimits: Sendable, Hashable {
    /// Hosts that rules may name with a limit in all: each queue keeps all of them.
    static let most = 10_000

    private struct Entry: Sendable, Hashable {
        /// The number of the rule: of those that are about a host the last one counts.
        let rule: Int
        let limit: Int
    }

    private var entries: [String: Entry] = [:]

    package init() {}

    /// As Redis keeps them.
    package init(queued: [String: String]) {
        for (pattern, text) in queued {
            let numbers = text.split(separator: ":").compactMap { Int($0) }
            if numbers.count == 2 { entries[pattern] = Entry(rule: numbers[0], limit: numbers[1]) }
        }
    }

    /// What one more rule says, the last so far.
    mutating func add(_ pattern: HostPattern, _ limit: Int, rule: Int) { entries[pattern.queued] = Entry(rule: rule, limit: limit) }

    package var count: Int { entries.count }

    /// Patterns as in `HostPattern.queued`, in any order, each with the number of its rule and its limit.
    package var queued: [(pattern: String, value: String)] { entries.map { ($0.key, "\($0.value.rule):\($0.value.limit)") } }

    /// Patterns as the operator wrote them, with their limits.
    package var shown: [String: Int] {
        Dictionary(uniqueKeysWithValues: entries.map { (($0.key.hasPrefix(".") ? "*" : "") + $0.key, $0.value.limit) })
    }
}
