import Coordinator
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// `failures.retry`: asks again for the sources of one group of `failures.list`.
struct FailuresRetry: RPCMethod {
    let name = "failures.retry"
    let questions: QueueQuestions

    /// The most entries of one page, and of one script that changes them.
    private static let page = 100
    /// The most entries of the blacklist that are looked at in each queue.
    private static let mostListed = 2000

    /// The failures that are meant.
    private struct Group {
        let cause: String
        let host: String
        /// The HTTP status; nil: any, or none.
        let status: Int?
        /// The number of sources that may still be taken.
        var left: Int

        func has(_ cause: String, _ place: String?, _ status: Int?) -> Bool {
            cause == self.cause && place ?? "" == host && (self.status == nil || status == self.status)
        }
    }

    func begin(_ call: Call, _ params: JSON) {
        let wanted = Group(
            cause: params["error"]?.string ?? "", host: params["host"]?.string ?? "", status: params["status"]?.int, left: params["limit"]?.int ?? 100)
        questions.answer(call, ofQueue: params["queue"]?.string) { queues async throws(RedisError) in
            var group = wanted
            var (retried, pardoned) = (0, 0)
            try await Queue.each(of: queues) { queue throws(RedisError) in
                retried += try await Self.retry(&group, in: queue)
                pardoned += try await Self.pardon(&group, in: queue)
            }
            return ["retried": JSON(retried), "pardoned": JSON(pardoned)]
        }
    }

    /// Queues the dead letters of the group again.
    private static func retry(_ group: inout Group, in queue: Queue) async throws(RedisError) -> Int {
        var (retried, cursor): (Int, ListCursor?) = (0, nil)
        repeat {
            let found = try await queue.deadLetters(limit: page, after: cursor)
            let ids = found.items.filter { letter in
                letter.isWhole
                    && group.has(
                        RecentEnds.cause(of: letter.error), RecentEnds.place(of: letter.error)?.host ?? letter.host, RecentEnds.status(of: letter.error))
            }.prefix(group.left).map(\.id)
            retried += try await queue.retry(dead: ids)
            group.left -= ids.count
            cursor = found.next
        } while cursor != nil && group.left > 0
        return retried
    }

    /// Removes the sources of the group from the blacklist, so that the next request asks their origin.
    private static func pardon(_ group: inout Group, in queue: Queue) async throws(RedisError) -> Int {
        var (pardoned, seen, cursor): (Int, Int, ListCursor?) = (0, 0, nil)
        while group.left > 0, seen < mostListed {
            let found = try await queue.blacklist(limit: page, after: cursor)
            let ids = found.items.filter { group.has($0.cause ?? "", $0.url.flatMap { try? WebAddress($0).host }, $0.status) }.prefix(group.left).map(\.id)
            pardoned += try await queue.unlist(ids)
            group.left -= ids.count
            (seen, cursor) = (seen + page, found.next)
            if cursor == nil { break }
        }
        return pardoned
    }
}
