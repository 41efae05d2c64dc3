package import TintypeCore
package import TintypeTransport
package import TintypeImages

package struct IndexedResult: Sendable {
    package let key: String
    /// The queue in whose index it is, as clients know it.
    package let queue: String
    /// RenditionInfo without `name`.
    package let rendition: JSON
    package let source: JSON
    /// The answer to `describe`; nil without one.
    package let description: JSON?

    /// Reads an entry of the index: the three, one line each.
    init?(_ key: String, queue: String, entry: String) {
        let lines = entry.utf8.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false).map { try? JSON(parsing: Array($0)) }
        guard lines.count == 3, let rendition = lines[0], let source = lines[1] else { return nil }
        (self.key, self.queue, self.rendition, self.source, description) = (key, queue, rendition, source, lines[2])
    }
}

extension Queue {
    /// The members that one page reads beyond its limit. Kept sources have tags too, and the page before may have had results of the cursor's time.
    private nonisolated static let beside = 100

    /// Returns the results that have a tag, those that may stay longest first. Results that the index has lost meanwhile are left out.
    /// - Parameters:
    ///   - tag: its word (`CacheTag.word`).
    ///   - limit: the most results; 0 only shows whether there are any.
    ///   - after: the end of the page before.
    package func tagged(_ tag: String, limit: Int, after: ListCursor?) async throws(RedisError) -> ListPage<IndexedResult> {
        let most = limit + Self.beside
        let highest: RedisArgument = after.map { RedisArgument.int($0.at) } ?? "+inf"
        let reply = try await node.command(["ZRANGE", .string(keys.tag(tag)), highest, "-inf", "BYSCORE", "REV", "LIMIT", 0, .int(Int64(most)), "WITHSCORES"])
        guard let words = reply.array else { throw .reply("ZRANGE gave an unexpected answer") }
        var members = stride(from: 0, to: words.count - 1, by: 2).compactMap { at in
            words[at].string.flatMap { member in words[at + 1].int.map { (member: member, at: $0) } }
        }
        let isFull = members.count == most
        // The members of the cursor's time up to its own were in the page before.
        if let after, let place = members.firstIndex(where: { $0.at == after.at && Self.cursorID($0.member) == after.id }) { members.removeFirst(place + 1) }
        var wanted: [(member: String, at: Int64)] = []
        var taken = 0
        for one in members {
            guard wanted.count < limit else { break }
            taken += 1
            if one.member.hasPrefix("x:") { wanted.append(one) }
        }
        let isMore = isFull || members[taken...].contains { $0.member.hasPrefix("x:") }
        var found: [IndexedResult] = []
        if !wanted.isEmpty {
            let digests = wanted.map { String($0.member.dropFirst(2)) }
            let entries = try await node.command(["MGET"] + digests.map { .string(keys.result($0)) }).array ?? []
            found = zip(digests, entries).compactMap { digest, entry in
                entry.string.flatMap { IndexedResult(digest, queue: publicName, entry: $0) }
            }
        }
        let last = taken > 0 ? ListCursor(at: members[taken - 1].at, id: Self.cursorID(members[taken - 1].member), queue: name) : nil
        return ListPage(items: found, last: last, isMore: isMore && (last != nil || limit == 0))
    }

    /// Names a member in a cursor, since a key may have letters that no cursor has.
    private nonisolated static func cursorID(_ member: String) -> String { Digest.sha256Hex(member.utf8, digits: 16) }
}
