import TintypeCore
package import TintypeTransport
import TintypeImages

/// Judges redirects by the access lists of coordinators. A list is read when it first has to judge a redirect, so a download without redirects asks
/// Redis nothing. Lives on the loop.
@Loop package final class AccessLists {
    private let node: RedisNode
    /// The lists that were read, by digest. Rules change seldom.
    private var known: [String: AccessList] = [:]
    private static let most = 16

    package init(redis: RedisNodes) { node = redis.node(for: AccessList.tag) }

    /// - Parameter digest: the access list at the time of the request; nil if there was none.
    /// - Throws: `denied`; `unavailable` while the list cannot be read, because without a list no redirect is followed.
    func check(_ url: TransferURL, by digest: String?) async throws(TintypeError) {
        guard let digest else { return }
        if let list = known[digest] { return try list.check(url) }
        let list = try await read(digest)
        if known.count == Self.most { known = [:] }
        known[digest] = list
        try list.check(url)
    }

    private func read(_ digest: String) async throws(TintypeError) -> AccessList {
        let text: String?
        do throws(RedisError) {
            text = try await node.command(["HGET", .string(AccessList.key), .string(digest)]).string
        } catch {
            throw Self.unavailable("\(error)")
        }
        // Each coordinator writes its list when it connects.
        guard let text else { throw Self.unavailable("no coordinator has written them") }
        guard let list = try? AccessList(text: text), list.digest == digest else { throw Self.unavailable("they are damaged") }
        return list
    }

    private static func unavailable(_ reason: String) -> TintypeError {
        TintypeError(.unavailable, .download, "the access rules for redirects cannot be read: \(reason)")
    }
}
