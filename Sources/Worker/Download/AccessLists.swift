import TintypeCore
package import TintypeTransport
import TintypeImages

/// Judges redirects by what coordinators have laid down with their rules. A list is read when the first redirect has to be judged by it: a
/// download that goes straight on asks Redis nothing. Lives on the loop.
@Loop package final class AccessLists {
    private let node: RedisNode
    /// By digest. Rules change seldom.
    private var known: [String: AccessList] = [:]
    private static let most = 16

    package init(redis: RedisNodes) { node = redis.node(for: AccessList.tag) }

    /// - Parameter digest: of the list that counted when the fetch was asked for; nil: there was none.
    /// - Throws: `denied`; `unavailable` while the list cannot be had: without it nothing is followed.
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
        // Whoever connects lays it down.
        guard let text else { throw Self.unavailable("no coordinator has laid them down") }
        guard let list = try? AccessList(text: text), list.digest == digest else { throw Self.unavailable("they are damaged") }
        return list
    }

    private static func unavailable(_ reason: String) -> TintypeError {
        TintypeError(.unavailable, .download, "the rules that redirects are judged by cannot be read: \(reason)")
    }
}
