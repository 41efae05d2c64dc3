import TintypeTransport
package import TintypeImages

/// A page of a list that Redis keeps in order, greatest first.
package struct ListPage<Item: Sendable>: Sendable {
    package let items: [Item]
    /// The end of the page; nil if the page is empty.
    package let last: ListCursor?
    package let isMore: Bool

    /// The start of the next page.
    package var next: ListCursor? { isMore ? last : nil }
}

extension Queue {
    /// Calls one of the scripts that answer a page (`pages.lua`).
    /// - Parameters:
    ///   - after: the end of the page before; nil for the first page.
    ///   - read: reads one item; nil for an item that no script has written.
    func page<Item: Sendable>(
        _ script: QueueScript, _ limit: Int, _ after: ListCursor?, _ read: ([RedisReply]) -> Item?
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
