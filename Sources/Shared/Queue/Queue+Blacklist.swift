package import TintypeCore
package import TintypeTransport
package import TintypeImages

/// A source that is not asked now, because it failed before.
package struct BlacklistEntry: Sendable {
    /// The source's digest.
    package let id: String
    package let queue: String
    /// Epoch seconds.
    package let since, until: Double
    /// Whether the entry refuses pictures only. The bytes of the source are still available.
    package let refusesPicturesOnly: Bool
    /// The error for refused requests, without its times.
    private let error: TintypeError

    /// Reads an entry as the scripts keep it: `<since, ms> <until, ms> <pictures|all> <error JSON>`.
    init?(id: String, queue: String, text: String) {
        let words = text.split(separator: " ", maxSplits: 3)
        guard words.count == 4, let since = Int64(words[0]), let until = Int64(words[1]), let error = try? JSON(parsing: String(words[3])) else {
            return nil
        }
        (self.id, self.queue, self.since, self.until) = (id, queue, Double(since) / 1000, Double(until) / 1000)
        refusesPicturesOnly = words[2] == "pictures"
        self.error = TintypeError(json: error)
    }

    /// The name of the error that the source failed with, its HTTP status, and its URL.
    package var cause: String? { error.details["cause"]?.string }
    package var status: Int? { error.details["status"]?.int }
    package var url: String? { error.details["url"]?.string }

    /// The entry in `blacklist.list`.
    package var json: JSON {
        var object: JSONObject = ["id": .string(id), "queue": .string(ShardNames.queue(of: queue))]
        for key in ["url", "cause", "status"] { object[key] = error.details[key] }
        object["refuses"] = refusesPicturesOnly ? "pictures" : "all"
        object["since"] = JSON(since)
        object["until"] = JSON(until)
        return .object(object)
    }
}

extension Queue {
    /// Returns the blacklist, entries that stay longest first.
    /// - Parameter after: the end of the page before.
    package func blacklist(limit: Int, after: ListCursor? = nil) async throws(RedisError) -> ListPage<BlacklistEntry> {
        try await page(.blacklist, limit, after) { [name] words in
            guard words.count == 2, let id = words[0].string, let text = words[1].string else { return nil }
            return BlacklistEntry(id: id, queue: name, text: text)
        }
    }

    /// Removes sources from the blacklist.
    /// - Returns: how many of them were blacklisted.
    package func unlist(_ ids: [String]) async throws(RedisError) -> Int {
        ids.isEmpty ? 0 : Int(try await run(.blacklistRemove, ids.map { .string($0) }).int ?? 0)
    }

    /// Removes all sources from the blacklist.
    /// - Returns: how many there were.
    package func clearBlacklist() async throws(RedisError) -> Int { Int(try await run(.blacklistRemove, []).int ?? 0) }
}
