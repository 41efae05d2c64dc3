/// Checks every rule on a live queue that does not stop for it: some keys at a time, each with all that the rules say of it at one moment
/// (`inspect.lua`). Finds what `QueueInvariants` finds in a dump of everything that lasts, and needs memory for one page.
///
/// Redis does other work between two pages, and what comes or goes meanwhile may be passed over.
@Loop
package final class QueueInspection {
    /// Sentences after which no more are collected of one queue.
    package nonisolated static let most = 1000
    /// How long a worker may take from the marker it has taken to its claim: as long there is none, and no harm.
    private static let claiming = Duration.milliseconds(1500)

    /// What is looked at by one call, and how many at once.
    private enum Kind: String {
        case fetch, piece, receipt, source, slot, host, callback, caller, group, listed, due, key, rest, overdue

        /// A page must not hold Redis up for long, and a fetch or a group may be large.
        var page: Int {
            switch self {
            case .group: 5
            case .fetch, .host, .caller: 25
            default: 100
            }
        }
    }

    private let queue: Queue
    private let others: [Queue]
    private var violations: [String] = []
    private var hasWaited = false

    private init(_ queue: Queue, _ others: [Queue]) { (self.queue, self.others) = (queue, others) }

    /// - Parameters:
    ///   - queue: best with a connection of its own, since there are thousands of calls.
    ///   - others: queues in which no receipt may live that lives in this one.
    /// - Returns: a sentence for each rule that does not hold; empty if all is well.
    package static func violations(of queue: Queue, beside others: [Queue] = []) async throws(RedisError) -> [String] {
        let inspection = QueueInspection(queue, others)
        try await inspection.run()
        return inspection.violations
    }

    private func run() async throws(RedisError) {
        try await look(.rest, [""])
        try await look(.overdue, ["\(Int(OverdueWork.patience * 1000))"])
        let lists: [(key: String, kind: Kind)] = [
            ("run", .listed), ("delay", .listed), ("aq", .listed), ("ao", .listed), ("dl", .due), ("ready", .host), ("cbs", .caller),
        ]
        for (key, kind) in lists {
            try await scan(["ZSCAN", .string(queue.keys.prefix + key)], step: 2) { members throws(RedisError) in
                try await self.look(kind, members)
                if kind == .due { try await self.compare(members) }
            }
        }
        let pattern = queue.keys.prefix.map { #"[]*?\"#.contains($0) ? #"\\#($0)"# : "\($0)" }.joined() + "*"
        try await scan(["SCAN"], matching: pattern, step: 1) { keys throws(RedisError) in
            var byKind: [Kind: Set<String>] = [:]
            for key in keys {
                if let (kind, name) = Self.kind(of: String(key.dropFirst(self.queue.keys.prefix.count))) { byKind[kind, default: []].insert(name) }
            }
            for (kind, names) in byKind { try await self.look(kind, names.sorted()) }
        }
    }

    /// Goes once through something that has a cursor.
    /// - Parameter step: 2 where each is followed by its score.
    private func scan(
        _ command: [RedisArgument], matching pattern: String? = nil, step: Int, _ each: ([String]) async throws(RedisError) -> Void
    ) async throws(RedisError) {
        var cursor = "0"
        let match: [RedisArgument] = pattern.map { ["MATCH", .string($0)] } ?? []
        repeat {
            let reply = try await queue.redis.command(command + [.string(cursor)] + match + ["COUNT", "500"])
            guard let words = reply.array, words.count == 2, let next = words[0].string, let found = words[1].array else {
                throw .reply("SCAN answered something else")
            }
            try await each(stride(from: 0, to: found.count, by: step).compactMap { found[$0].string })
            cursor = next
        } while cursor != "0" && violations.count < Self.most
    }

    /// Q15: the only rule about more queues than one, each of which is another moment. An id is free again only long after its receipt has
    /// ended, so no end between the two makes it look broken.
    private func compare(_ receipts: [String]) async throws(RedisError) {
        guard !receipts.isEmpty else { return }
        for other in others {
            let scores = try await queue.redis.command(["ZMSCORE", .string(other.keys.prefix + "dl")] + receipts.map { .string($0) }).array ?? []
            for (receipt, score) in zip(receipts, scores) where score.string != nil {
                violations.append("Q15: receipt \(receipt) lives in queue \(other.name) too")
            }
        }
    }

    /// As what a key is looked at; nil for those that are looked at once.
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

    private func look(_ kind: Kind, _ names: [String]) async throws(RedisError) {
        for start in stride(from: 0, to: names.count, by: kind.page) {
            let page = Array(names[start..<min(start + kind.page, names.count)])
            var found = try await check(kind, page)
            if !hasWaited, found.contains(where: { $0.hasPrefix("Q9") }) {
                hasWaited = true
                try? await Loop.sleep(Self.claiming)
                found = try await check(kind, page)
            }
            for violation in found where !violations.contains(violation) { violations.append(violation) }
            if violations.count >= Self.most { return }
        }
    }

    private func check(_ kind: Kind, _ names: [String]) async throws(RedisError) -> [String] {
        let reply = try await queue.run(queue.scripts.inspect, [.string(kind.rawValue)] + names.map { .string($0) })
        guard let dump = QueueDump(reply, isWhole: false) else { throw Queue.unexpected(queue.scripts.inspect, reply) }
        return kind == .overdue ? OverdueWork.violations(in: dump) : QueueInvariants.violations(in: dump)
    }
}
