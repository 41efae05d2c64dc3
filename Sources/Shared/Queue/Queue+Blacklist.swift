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
    /// - Returns: the entries, and how many there are in all.
    package func blacklist(limit: Int, skipping: Int) async throws(RedisError) -> (entries: [BlacklistEntry], total: Int) {
        let reply = try await run(scripts.listed, [.int(Int64(limit)), .int(Int64(skipping))])
        guard let words = reply.array, let total = words.first?.int else { throw Self.unexpected(scripts.listed, reply) }
        let entries = words.dropFirst().compactMap { item -> BlacklistEntry? in
            guard let pair = item.array, pair.count == 2, let id = pair[0].string, let text = pair[1].string else { return nil }
            return BlacklistEntry(id: id, queue: name, text: text)
        }
        return (entries, Int(total))
    }

    /// Takes sources off the blacklist.
    /// - Returns: how many of these were on it.
    package func unlist(_ ids: [String]) async throws(RedisError) -> Int {
        ids.isEmpty ? 0 : Int(try await run(scripts.unlist, ids.map { .string($0) }).int ?? 0)
    }

    /// - Returns: how many sources were on the blacklist.
    package func clearBlacklist() async throws(RedisError) -> Int { Int(try await run(scripts.unlist, []).int ?? 0) }
}
