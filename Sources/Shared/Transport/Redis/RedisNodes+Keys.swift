/// A place in the walk through the keys of all servers: the server, and the cursor of its `SCAN`.
package struct RedisKeyPlace: Sendable, Hashable {
    fileprivate var server = 0
    fileprivate var cursor = "0"

    /// The beginning.
    package init() {}
}

extension RedisNodes {
    /// Returns the next page of the names of all keys that match a pattern. This is the only function that walks through keys.
    ///
    /// A server stops for one page and not for the walk. A key that comes or goes meanwhile may be missed, and a key may come twice.
    /// - Parameters:
    ///   - pattern: as in `SCAN`.
    ///   - tag: the tag of all keys that may match, if they have one: only its server is asked.
    ///   - place: the `next` of the page before.
    /// - Returns: about 500 looked at, hence perhaps no key; `next` is nil behind the last page.
    package func keys(
        matching pattern: String, of tag: RedisTag? = nil, from place: RedisKeyPlace
    ) async throws(RedisError) -> (keys: [String], next: RedisKeyPlace?) {
        // Without the map of a cluster, no server is known.
        if servers.isEmpty { try await untilConnected(within: patience) }
        let walked = tag.map { [server(of: $0)] } ?? servers
        // A server may have left since the page before.
        guard place.server < walked.count else { return ([], nil) }
        let client = walked[place.server]
        if !client.isConnected { try await client.untilConnected(within: client.topology.timeout) }
        let reply = try await client.command(["SCAN", .string(place.cursor), "MATCH", .string(pattern), "COUNT", "500"])
        guard let words = reply.array, words.count == 2, let cursor = words[0].string, let found = words[1].array else {
            throw .reply("SCAN gave an unexpected answer")
        }
        var next = place
        (next.server, next.cursor) = cursor == "0" ? (place.server + 1, "0") : (place.server, cursor)
        return (found.compactMap(\.string), next.server < walked.count ? next : nil)
    }
}
