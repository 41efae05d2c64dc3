import TintypeCore
import TintypeTransport
import TintypeImages

/// The sessions of browsers: a cookie that stands for a token. A value.
///
/// Only digests are kept. A guessed id is looked up by its digest, so the time of a look-up tells nothing about the ids that exist.
/// A session ends with its token, by `DELETE /session`, after `lifetime`, or with the coordinator.
struct PageSessions: Sendable {
    /// The seconds for which a session lasts.
    static let lifetime = 86_400.0
    /// The most sessions; the oldest one ends when there is one more.
    static let most = 1000
    static let cookie = "tintype-session"

    private struct Entry: Sendable {
        let token: [UInt8]
        let until: Double
    }

    private var entries: [[UInt8]: Entry] = [:]
    /// The sessions from the oldest on. One that has ended means nothing.
    private var order = FIFO<[UInt8]>()

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Begins a session.
    /// - Parameters:
    ///   - token: The digest of its token.
    ///   - now: Seconds of a clock that never goes back.
    /// - Returns: Its id, of 32 random bytes.
    mutating func begin(_ token: [UInt8], at now: Double) -> String {
        let id = Digest.randomHex(bytes: 32)
        let key = AccessTokens.digest(id)
        entries[key] = Entry(token: token, until: now + Self.lifetime)
        order.append(key)
        while entries.count > Self.most, let oldest = order.popFirst() { entries[oldest] = nil }
        if order.count > 2 * Self.most {
            let known = entries
            order.removeAll { known[$0] == nil }
        }
        return id
    }

    /// Returns the digest of the token of a session; nil if there is no such session, or its time is over.
    func token(_ id: String, at now: Double) -> [UInt8]? {
        guard let entry = entries[AccessTokens.digest(id)], entry.until > now else { return nil }
        return entry.token
    }

    mutating func end(_ id: String) { entries[AccessTokens.digest(id)] = nil }

    /// Returns the id in a header `Cookie` (RFC 6265 §5.4); nil if it has none that could be one.
    static func id(in header: String?) -> String? {
        guard let header else { return nil }
        for pair in header.split(separator: ";") {
            let words = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2, words[0].drop(while: { $0 == " " }) == cookie else { continue }
            return words[1].utf8.count == 64 ? String(words[1]) : nil
        }
        return nil
    }
}
