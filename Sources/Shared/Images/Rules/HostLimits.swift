import TintypeCore

/// The operator's limits for hosts: how many fetches may run at once, and how many may begin in a second. A limit of the queue itself goes first
/// (`Queue.setDefaults`). A pure value.
package struct HostLimits: Sendable, Hashable {
    /// The most hosts with a limit in all rules: each queue keeps all of them.
    static let most = 10_000

    private struct Entry: Sendable, Hashable {
        /// The number of the rule. The last matching rule wins.
        let rule: Int
        let limit: Int
    }

    /// The prefix of a pattern whose limit is the time between two fetches, in ms.
    private static let pace = "/"

    private var entries: [String: Entry] = [:]

    package init() {}

    /// Reads the limits from Redis.
    package init(queued: [String: String]) {
        for (pattern, text) in queued {
            let numbers = text.split(separator: ":").compactMap { WireNumber.integer($0).map { Int($0) } }
            if numbers.count == 2 { entries[pattern] = Entry(rule: numbers[0], limit: numbers[1]) }
        }
    }

    /// Adds the limit of the next rule.
    mutating func add(_ pattern: HostPattern, _ limit: Int, rule: Int) { entries[pattern.queued] = Entry(rule: rule, limit: limit) }

    /// Adds the number of fetches that may begin in a second.
    mutating func add(_ pattern: HostPattern, perSecond: Double, rule: Int) {
        entries[Self.pace + pattern.queued] = Entry(rule: rule, limit: max(1, Int((1000 / perSecond).rounded())))
    }

    package var count: Int { entries.count }

    /// Returns how many fetches of a host may run; nil without a rule for it. `data:` and `file:` have none.
    package func limit(of host: String) -> Int? { ruled(host, "") }

    /// Returns whether a rule limits how many fetches of a host may begin in a second.
    package func hasPace(_ host: String) -> Bool { ruled(host, Self.pace) != nil }

    /// The last matching rule counts, as in the scripts.
    private func ruled(_ host: String, _ kind: String) -> Int? {
        guard !entries.isEmpty, !host.hasSuffix(":") else { return nil }
        let suffixes = host.indices.filter { host[$0] == "." }.map { String(host[$0...]) }
        return ([host, "*"] + suffixes).compactMap { entries[kind + $0] }.max { $0.rule < $1.rule }?.limit
    }

    /// Returns the limits with other numbers of running fetches, but for patterns with a pace.
    package func mapUnpaced(_ changed: (Int) -> Int) -> HostLimits {
        var other = self
        for (pattern, entry) in entries where !pattern.hasPrefix(Self.pace) && entries[Self.pace + pattern] == nil {
            other.entries[pattern] = Entry(rule: entry.rule, limit: changed(entry.limit))
        }
        return other
    }

    /// Patterns as in `HostPattern.queued`, in any order, each with its rule number and limit.
    package var queued: [(pattern: String, value: String)] { entries.map { ($0.key, "\($0.value.rule):\($0.value.limit)") } }

    /// Patterns as the operator wrote them, with the number of running fetches.
    package var shown: [String: Int] { named { !$0.hasPrefix(Self.pace) } }

    /// Patterns as the operator wrote them, with the milliseconds between two fetches.
    package var shownPaces: [String: Int] { named { $0.hasPrefix(Self.pace) } }

    private func named(_ isMeant: (String) -> Bool) -> [String: Int] {
        let meant = entries.filter { isMeant($0.key) }.map { (pattern: $0.key.drop { $0 == "/" }, limit: $0.value.limit) }
        return Dictionary(meant.map { (($0.pattern.hasPrefix(".") ? "*" : "") + $0.pattern, $0.limit) }, uniquingKeysWith: { one, _ in one })
    }
}
