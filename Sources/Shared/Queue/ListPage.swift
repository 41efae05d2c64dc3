import TintypeTransport
package import TintypeImages

/// Some items of a list that Redis keeps in order, the greatest first.
package struct ListPage<Item: Sendable>: Sendable {
    package let items: [Item]
    /// Where the page ends; nil if nothing stands on it.
    package let last: ListCursor?
    package let isMore: Bool

    /// Where the next page begins.
    package var next: ListCursor? { isMore ? last : nil }
}

extension Queue {
    /// Asks one of the scripts that answer a page (`lists.lua`).
    /// - Parameters:
    ///   - after: where the page before has ended; nil: at the beginning.
    ///   - read: an item; nil for what no script has written.
    func page<Item: Sendable>(
        _ script: LuaScript, _ limit: Int, _ after: ListCursor?, _ read: ([RedisReply]) -> Item?
    ) async throws(RedisError) -> ListPage<Item> {
        let reply = try await run(script, [.int(Int64(limit)), after.map { .int($0.at) } ?? "", .string(after?.id ?? "")])
        guard let words = reply.array, words.count >= 3, let isMore = words[0].int, let id = words[2].string else {
            throw Self.unexpected(script, reply)
        }
        return ListPage(
            items: words.dropFirst(3).compactMap { read($0.array ?? []) },
            last: words[1].int.map { ListCursor(at: $0, id: id, queue: name) }, isMore: isMore == 1)
    }
}
