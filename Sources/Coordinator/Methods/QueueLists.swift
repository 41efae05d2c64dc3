import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

extension [Queue] {
    /// Returns a page of the lists of these queues or shards, one list after the other.
    /// - Parameters:
    ///   - cursor: The end of the page before.
    ///   - limit: The most items.
    ///   - page: Reads a part of one queue's list.
    @Loop
    func list<Item>(
        from cursor: ListCursor?, _ limit: Int, _ page: @Loop (Queue, Int, ListCursor?) async throws(RedisError) -> ListPage<Item>,
        json: (Item) -> JSON
    ) async throws(RedisError) -> JSON {
        var items: [JSON] = []
        var next: ListCursor?
        var last = cursor
        try await Queue.each(of: from(cursor?.queue)) { queue throws(RedisError) in
            guard next == nil else { return }
            // With no room left, this only checks whether there is more.
            let part = try await page(queue, limit - items.count, queue.name == cursor?.queue ? cursor : nil)
            items += part.items.map(json)
            if part.isMore { next = part.last ?? last }
            last = part.last ?? last
        }
        var answer: JSONObject = ["items": .array(items)]
        answer["cursor"] = next.map { .string($0.text) }
        return .object(answer)
    }

    /// Returns the queues from which a list continues at a cursor, in the order of `Queue.names`. The queue of the cursor may no longer exist.
    private func from(_ name: String?) -> [Queue] {
        guard let name, name != "default" else { return self }
        return filter { $0.name != "default" && $0.name >= name }
    }
}
