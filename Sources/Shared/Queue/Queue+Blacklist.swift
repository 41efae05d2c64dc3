package import TintypeCore
package import TintypeTransport
package import TintypeImages

/// A source that is not asked for now, because it failed before.
package struct BlacklistEntry: Sendable {
    /// The source's digest.
    package let id: String
    package let queue: String
    /// Epoch seconds.
    package let since, until: Double
    /// Whether it refuses pictures alone: its bytes can be had.
    package let refusesPicturesOnly: Bool
    /// The error that refused requests get, without its times.
    private let error: TintypeError

    /// Reads what the scripts keep: `<since, ms> <until, ms> <d|n> <error JSON>`.
    init?(id: String, queue: String, text: String) {
        let words = text.split(separator: " ", maxSplits: 3)
        guard words.count == 4, let since = Int64(words[0]), let until = Int64(words[1]), let error = try? JSON(parsing: String(words[3])) else {
            return nil
        }
        (self.id, self.queue, self.since, self.until) = (id, queue, Double(since) / 1000, Double(until) / 1000)
        refusesPicturesOnly = words[2] == "d"
        self.error = TintypeError(json: error)
    }

    /// As `blacklist.list` shows it.
    package var json: JSON {
        var object: JSONObject = ["id": .string(id), "queue": .string(queue)]
        for key in ["url", "cause", "status"] { object[key] = error.details[key] }
        object["refuses"] = refusesPicturesOnly ? "pictures" : "all"
        object["since"] = JSON(since)
        object["until"] = JSON(until)
        return .object(object)
    }
}

extension Queue {
    /// The blacklist, those who stay longest first.
    /// - Parameter after: where the answer before has ended.
    package func blacklist(limit: Int, after: ListCursor? = nil) async throws(RedisError) -> ListPage<BlacklistEntry> {
        try await page(scripts.listed, limit, after) { [name] words in
            guard words.count == 2, let id = words[0].string, let text = words[1].string else { return nil }
            return BlacklistEntry(id: id, queue: name, text: text)
        }
    }

    /// Takes sources off the blacklist.
    /// - Returns: how many of these were on it.
    package func unlist(_ ids: [String]) async throws(RedisError) -> Int {
        ids.isEmpty ? 0 : Int(try await run(scripts.unlist, ids.map { .string($0) }).int ?? 0)
    }

    /// - Returns: how many sources were on the blacklist.
    package func clearBlacklist() async throws(RedisError) -> Int { Int(try await run(scripts.unlist, []).int ?? 0) }
}
