import TintypeCore
package import TintypeImages
package import TintypeTransport

/// The list of queues. It is stored beside `default`, and each queue's own settings say that it was made. The two keys are in different slots of a Redis
/// Cluster, so no script can change both. A listed queue that was never made does no harm. A queue that was made and is not listed would be neglected.
extension Queue {
    /// A queue that was never used may be removed this long after it was made or configured. Its owner has had the time to use it.
    package nonisolated static let unusedTime: Duration = .seconds(3600)
    /// A queue that was used may be removed this long after any coordinator or worker last used it. A receipt lives for at most a day and is known for
    /// another.
    package nonisolated static let forgottenTime: Duration = .seconds(49 * 3600)

    /// Adds the queue to the list, with a mark that is new each time.
    func list() async throws(RedisError) {
        _ = try await Self.shared(redis).command(["HSET", .string(QueueKeys.registry), .string(name), .string(Digest.randomHex(bytes: 8))])
    }

    /// Removes the queue if it is not needed: it is empty, no worker serves it, and it has no setting of its own. A setting that equals the default
    /// counts too.
    ///
    /// One script checks and removes the queue. A submit at the same moment either comes first, and the queue stays, or comes second and is refused
    /// with an unknown queue. Then the name is removed from the list, if its mark is still the one from before the check. `configure` lists a queue
    /// before it is made, and lists it once more afterwards with another mark. So a queue that is made is listed, in whichever order the two run.
    /// A queue with a live coordinator or worker stays. A coordinator sends heartbeats to each queue that it has listened to since it started, and a
    /// worker to each that it serves. A coordinator that has read the list just before may begin to listen just after. Its submits are refused then,
    /// until a client makes the queue again.
    /// - Parameters:
    ///   - unused: how long ago the queue must have been configured.
    ///   - forgotten: how long ago the queue must have been used.
    /// - Returns: whether the queue is gone.
    package func unmake(unused: Duration = Queue.unusedTime, forgotten: Duration = Queue.forgottenTime) async throws(RedisError) -> Bool {
        let mark = try await Self.shared(redis).command(["HGET", .string(QueueKeys.registry), .string(name)])
        guard PlainReply(try await run(.queueRemove, [.int(unused.milliseconds), .int(forgotten.milliseconds)])) == .ok else { return false }
        guard let mark = mark.string else { return true }
        _ = try await run(shared: .queueNameRemove, [.string(name), .string(mark)])
        return true
    }
}

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
            throw Self.unexpected(script)
        }
        return ListPage(
            items: words.dropFirst(3).compactMap { read($0.array ?? []) },
            last: words[1].int.map { ListCursor(at: $0, id: id, queue: name) }, isMore: isMore == 1)
    }
}
