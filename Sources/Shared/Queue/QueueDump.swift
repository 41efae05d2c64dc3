package import TintypeTransport

/// The keys of a queue in Redis, or some of them, at one moment.
package struct QueueDump: Sendable {
    package enum Content: Sendable, Hashable {
        case text(String)
        case hash([String: String])
        case set(Set<String>)
        case scores([String: Double])
        /// A type that no script makes.
        case foreign
    }

    package struct Entry: Sendable, Hashable {
        package let content: Content
        /// Milliseconds to live; nil if it does not expire.
        package let timeToLive: Int64?
        /// Whether the entry was read because of other entries, and may be only a part of the key.
        package var isContext = false
    }

    /// Epoch ms, by the clock that the scripts use.
    package let now: Int64
    /// The entries by key, without the queue's prefix.
    package let entries: [String: Entry]
    /// Whether the dump also has the keys that expire.
    package let isWhole: Bool

    init?(_ reply: RedisReply, isWhole: Bool) {
        guard let items = reply.array, let now = items.first?.int else { return nil }
        var entries: [String: Entry] = [:]
        entries.reserveCapacity(items.count)
        for item in items.dropFirst() {
            guard let words = item.array, words.count == 4 || words.count == 5, let key = words[0].string, let type = words[1].string, let left = words[2].int
            else { return nil }
            let content: Content =
                switch type {
                case "string": .text(words[3].string ?? "")
                case "hash": .hash(words[3].pairs)
                case "set": .set(Set((words[3].array ?? []).compactMap(\.string)))
                case "zset": .scores(words[3].pairs.compactMapValues { Double($0) })
                default: .foreign
                }
            entries[key] = Entry(content: content, timeToLive: left < 0 ? nil : left, isContext: words.count == 5 && words[4].int == 1)
        }
        self.now = now
        self.isWhole = isWhole
        self.entries = entries
    }

    /// Returns a hash; empty if there is none.
    package func hash(_ key: String) -> [String: String] {
        if case .hash(let fields)? = entries[key]?.content { fields } else { [:] }
    }

    package func set(_ key: String) -> Set<String> {
        if case .set(let members)? = entries[key]?.content { members } else { [] }
    }

    package func scores(_ key: String) -> [String: Double] {
        if case .scores(let scores)? = entries[key]?.content { scores } else { [:] }
    }

    package func text(_ key: String) -> String? {
        if case .text(let text)? = entries[key]?.content { text } else { nil }
    }

    /// Returns the live fetch that a new receipt of this source joins.
    package func fetch(ofSource digest: String) -> String? { hash("s:" + digest.prefix(4))[String(digest.dropFirst(4))] }

    /// Returns the rest of each key after a prefix, such as the ids of `f:`.
    /// - Parameter withContext: also returns entries that were read because of others.
    package func names(_ prefix: String, withContext: Bool = false) -> [String] {
        // Most keys have another prefix: their entries are not copied.
        entries.keys.filter { $0.hasPrefix(prefix) && (withContext || entries[$0]?.isContext == false) }.map { String($0.dropFirst(prefix.count)) }
    }
}

extension Queue {
    /// Reads everything at once. Redis serves no other client meanwhile.
    /// - Parameter isWhole: false leaves out ended receipts and fetches, and results. There are many more of them than of live ones.
    package func dump(isWhole: Bool = true) async throws(RedisError) -> QueueDump {
        let reply = try await run(.dump, [isWhole ? "0" : "1"])
        let dump = await Loop.work(on: Loop.longWork) { QueueDump(reply, isWhole: isWhole) }
        return try Self.known(dump, of: .dump)
    }
}
