package import TintypeCore

/// A place in the walk through the keys of all servers: the server, the cursor of its `SCAN`, and the servers behind. A cursor of one server means nothing
/// to another.
package struct RedisKeyCursor: Sendable, Hashable {
    /// The server that gave the cursor; nil before the first page.
    fileprivate var server: SocketAddress?
    fileprivate var cursor = "0"
    /// The servers of a cluster that are still to be walked through, first the present one; nil before the first page.
    fileprivate var servers: [SocketAddress]?

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
    ///   - cursor: the `next` of the page before.
    /// - Returns: about 500 looked at, hence perhaps no key; `next` is nil behind the last page.
    /// - Throws: `RedisError`; `.unavailable` also where a server of the walk has left the cluster.
    package func keys(
        matching pattern: String, of tag: RedisTag? = nil, from cursor: RedisKeyCursor
    ) async throws(RedisError) -> (keys: [String], next: RedisKeyCursor?) {
        guard tag == nil, let cluster else {
            // Without a tag, this is the only server. Its keys, or those of a queue, may have another server since the page before.
            let client = server(ofSlot: tag?.slot ?? 0)
            let (address, found, scan) = try await page(of: client, matching: pattern) { $0 == cursor.server ? cursor.cursor : "0" }
            var next = cursor
            (next.server, next.cursor) = (address, scan)
            return (found, scan == "0" ? nil : next)
        }
        // Without the map of a cluster, no server is known.
        if servers.isEmpty { try await untilConnected(within: patience) }
        var next = cursor
        var left = cursor.servers ?? cluster.map.primaries
        guard let address = left.first, let client = clients[address] else {
            throw .unavailable("a server left the cluster during the walk through its keys; begin the walk again")
        }
        let (_, found, scan) = try await page(of: client, matching: pattern) { _ in cursor.cursor }
        if scan == "0" { left.removeFirst() }
        (next.server, next.cursor, next.servers) = (address, scan, left)
        return (found, left.isEmpty ? nil : next)
    }

    /// Reads a page of the keys of one server.
    /// - Parameter cursor: returns the cursor for the server at this address.
    private func page(
        of client: RedisClient, matching pattern: String, from cursor: (SocketAddress?) -> String
    ) async throws(RedisError) -> (SocketAddress?, [String], next: String) {
        if !client.isConnected { try await client.untilConnected(within: client.topology.timeout) }
        let address = client.address
        let reply = try await client.command(["SCAN", .string(cursor(address)), "MATCH", .string(pattern), "COUNT", "500"])
        guard let words = reply.array, words.count == 2, let next = words[0].string, let found = words[1].array else {
            throw .reply("SCAN gave an unexpected answer")
        }
        return (address, found.compactMap(\.string), next)
    }
}
