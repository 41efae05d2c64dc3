import TintypeCore
package import TintypeTransport

/// Checks every rule on live queues, which go on meanwhile. It reads some keys at a time, each at one moment with everything that its rules need
/// (`inspect.lua`). It finds the same as `QueueInvariants` finds in a dump of all lasting keys, and needs memory for one page.
///
/// Redis does other work between two pages, and entries that come or go meanwhile may be missed. The number of round trips grows with the keys in Redis
/// and with the queues, not with their product. One walk through the keys finds all queues.
@Loop
package final class QueueInspection {
    /// A rule that does not hold in a queue, or the reason why the queue could not be checked.
    package struct Violation: Sendable, Hashable, CustomStringConvertible {
        package let queue: String
        package let sentence: String
        package var description: String { "\(queue): \(sentence)" }
    }

    /// The maximum number of violations collected in all.
    package nonisolated static let most = 1000
    /// The time a worker may need from popping the marker to its claim. Until then the missing marker is no violation.
    private static let claiming = Duration.milliseconds(1500)

    /// The kind of entry that one call checks, and how many entries at once.
    private enum Kind: String {
        case fetch, piece, receipt, source, slot, host, callback, caller, group, listed, due, key, rest, overdue

        /// The number of entries in a page. A page must not stop Redis for long, and a fetch or a group may be large.
        var page: Int {
            switch self {
            case .group: 5
            case .fetch, .source, .host, .caller: 25
            case .piece, .receipt, .slot, .callback, .listed, .due, .key, .rest, .overdue: 100
            }
        }
    }

    private let redis: RedisNodes
    private let queues: [Queue]
    /// The queues by name, without those of another schema.
    private var open: [String: Queue]
    private var violations: [Violation] = []
    /// The violations already reported. A walk with a cursor may meet an entry twice.
    private var reported: Set<Violation> = []
    /// Queues that have been given the time for a claim.
    private var waited: Set<String> = []

    private init(_ queues: [Queue], redis: RedisNodes) {
        (self.queues, self.redis) = (queues, redis)
        open = Dictionary(uniqueKeysWithValues: queues.map { ($0.name, $0) })
    }

    /// Returns a sentence for each rule that does not hold in a queue; empty if all is well.
    /// - Parameter queue: should have a connection of its own, since there are thousands of calls.
    package static func violations(of queue: Queue) async throws(RedisError) -> [String] {
        try await violations(of: [queue], redis: queue.redis).map(\.sentence)
    }

    /// Returns the violations in several queues, at most `most`; empty if all is well.
    /// - Parameters:
    ///   - queues: all queues of one Redis. If there are several, a queue of another schema is reported and skipped.
    ///   - redis: should have connections of its own, since there are thousands of calls.
    package static func violations(of queues: [Queue], redis: RedisNodes) async throws(RedisError) -> [Violation] {
        let inspection = QueueInspection(queues, redis: redis)
        try await inspection.run()
        return inspection.violations
    }

    private var isFull: Bool { violations.count >= Self.most }

    private func run() async throws(RedisError) {
        for queue in queues where !isFull { try await attempt(queue) { () throws(RedisError) in try await self.lookAtLists(of: queue) } }
        // For one queue, Redis filters the keys. For many, one walk through all our keys is cheaper than a walk for each queue.
        let name = queues.count == 1 ? queues[0].name.map { #"[]*?\"#.contains($0) ? #"\\#($0)"# : "\($0)" }.joined() : "*"
        let tag = queues.count == 1 ? queues[0].keys.tag : nil
        var next: RedisKeyCursor? = RedisKeyCursor()
        while let place = next, !isFull {
            let page = try await redis.keys(matching: QueueKeys(name).prefix + "*", of: tag, from: place)
            next = page.next
            try await look(atKeys: page.keys)
        }
    }

    /// Calls a function with a queue. If there are several queues, one of another schema is skipped from there on.
    private func attempt(_ queue: Queue, _ body: () async throws(RedisError) -> Void) async throws(RedisError) {
        do throws(RedisError) {
            try await body()
        } catch {
            guard case .foreignQueue = error, queues.count > 1 else { throw error }
            open[queue.name] = nil
            add("\(error)", queue)
        }
    }

    private func lookAtLists(of queue: Queue) async throws(RedisError) {
        try await look(.rest, [""], queue)
        try await look(.overdue, ["\(Int(OverdueWork.patience * 1000))"], queue)
        let lists: [(key: String, kind: Kind)] = [
            ("run", .listed), ("delay", .listed), ("aq", .listed), ("ao", .listed), ("dl", .due), ("ready", .host), ("cbs", .caller),
        ]
        for (key, kind) in lists {
            try await queue.eachMember(of: queue.keys.prefix + key) { members throws(RedisError) in
                try await self.look(kind, members, queue)
                if kind == .due { try await self.compare(members, queue) }
                return !self.isFull
            }
        }
    }

    private func look(atKeys keys: [String]) async throws(RedisError) {
        var found: [String: [Kind: Set<String>]] = [:]
        for key in keys {
            guard let tag = RedisTag(of: key), let queue = open[tag.name], let (kind, name) = Self.kind(of: String(key.dropFirst(tag.prefix.count)))
            else { continue }
            found[queue.name, default: [:]][kind, default: []].insert(name)
        }
        for (name, byKind) in found {
            guard let queue = open[name] else { continue }
            try await attempt(queue) { () throws(RedisError) in
                for (kind, names) in byKind { try await self.look(kind, names.sorted(), queue) }
            }
        }
    }

    /// Q15: the only rule about more than one queue. Each queue is read at another moment. An id is free again only long after its receipt has ended,
    /// so an end between the two reads cannot look like a violation.
    ///
    /// Only two other queues can have the same id: `default`, which needs no reservation, and the queue that the id belongs to. So each pair is found
    /// once, by the queue that is neither of them.
    private func compare(_ receipts: [String], _ queue: Queue) async throws(RedisError) {
        guard !receipts.isEmpty, queues.count > 1, queue.name != Queue.judge else { return }
        let owners = try await Queue.shared(redis).command(["MGET"] + receipts.map { .string(QueueKeys.owner(ofReceipt: $0)) }).array ?? []
        var asked = [Queue.judge: receipts]
        for (receipt, owner) in zip(receipts, owners) {
            guard let name = owner.string?.split(separator: " ").first.map(String.init), name != queue.name, name != Queue.judge else { continue }
            asked[name, default: []].append(receipt)
        }
        for (name, receipts) in asked.sorted(by: { $0.key < $1.key }) {
            guard let other = open[name] else { continue }
            let scores = try await other.node.command(["ZMSCORE", .string(other.keys.prefix + "dl")] + receipts.map { .string($0) }).array ?? []
            for (receipt, score) in zip(receipts, scores) where score.string != nil {
                add("Q15: receipt \(receipt) lives in queue \(name) too", queue)
            }
        }
    }

    /// Returns the kind that checks a key; nil for keys that are checked once.
    private static func kind(of key: String) -> (Kind, String)? {
        if QueueInvariants.singles.contains(key) { return nil }
        guard let colon = key.firstIndex(of: ":") else { return (.key, key) }
        let name = String(key[key.index(after: colon)...])
        switch key[...colon] {
        case "f:": return (.fetch, name)
        case "n:", "fr:": return (.piece, key)
        case "r:": return (.receipt, name)
        case "s:": return (.source, name)
        case "sl:": return (.slot, name)
        case "hq:", "ho:", "hr:": return (.host, name)
        case "cb:": return (.callback, name)
        case "cbh:": return (.caller, name)
        case "g:", "gq:", "gr:", "gb:": return (.group, name)
        default: return (.key, key)
        }
    }

    private func look(_ kind: Kind, _ names: [String], _ queue: Queue) async throws(RedisError) {
        var rest = names[...]
        while !rest.isEmpty, !isFull {
            let page = Array(rest.prefix(try await size(of: rest.prefix(kind.page), kind, queue)))
            rest = rest.dropFirst(page.count)
            var found = try await check(kind, page, queue)
            if found.contains(where: { $0.hasPrefix("Q9") }), waited.insert(queue.name).inserted {
                try? await Loop.sleep(Self.claiming)
                found = try await check(kind, page, queue)
            }
            for violation in found { add(violation, queue) }
        }
    }

    /// Returns how many of these entries make a page. A fetch may have thousands of receipts, and then stands alone.
    private func size(of names: ArraySlice<String>, _ kind: Kind, _ queue: Queue) async throws(RedisError) -> Int {
        guard kind == .fetch || kind == .piece else { return names.count }
        let prefix = queue.keys.prefix + (kind == .fetch ? "fr:" : "")
        let lengths = try await queue.node.commands(names.map { ["HLEN", .string(prefix + $0)] })
        var sum: Int64 = 0
        let short = lengths.prefix { length in
            // bounded: a page has at most some hundred names.
            sum += length.int ?? 0
            return sum <= 1000
        }
        return max(1, short.count)
    }

    private func add(_ sentence: String, _ queue: Queue) {
        let violation = Violation(queue: queue.name, sentence: sentence)
        if !isFull, reported.insert(violation).inserted { violations.append(violation) }
    }

    private func check(_ kind: Kind, _ names: [String], _ queue: Queue) async throws(RedisError) -> [String] {
        let reply = try await queue.run(.inspect, [.string(kind.rawValue)] + names.map { .string($0) })
        // The rules about a page take longer than its bytes suggest.
        let found: [String]? = await Loop.work(on: Loop.longWork) {
            guard let dump = QueueDump(reply, isWhole: false) else { return nil }
            return kind == .overdue ? OverdueWork.violations(in: dump) : QueueInvariants.violations(in: dump)
        }
        return try Queue.known(found, of: .inspect)
    }
}
