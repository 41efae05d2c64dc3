import TintypeCore
import TintypeTransport
import TintypeImages

/// The sessions of browsers: a cookie that stands for a token. A value.
///
/// Nothing is stored. A cookie has the mark of its token, the end of the session, and an HMAC-SHA256 over both and its own name. The key comes from the
/// token in the file. So every coordinator with this token accepts the cookie, and none does once the token is gone.
package struct PageSessions: Sendable {
    /// The seconds for which a session lasts.
    package static let lifetime = 86_400.0

    /// The meaning of a request's cookies.
    package enum Reading: Sendable, Hashable {
        /// There is no cookie of a session, or its time is over.
        case nothing
        /// - token: The digest of the token.
        /// - until: The end of the session, in seconds since 1970.
        case session(token: [UInt8], until: Double)
        /// A cookie that no token here has made: a guess, or the cookie of a token that was removed.
        case wrong(String)
    }

    private struct Key: Sendable {
        package let token: [UInt8]
        /// Names the token in cookies.
        package let mark: [UInt8]
        package let secret: [UInt8]
    }

    private let keys: [Key]

    /// - Parameter tokens: The tokens that are accepted; nil if none is required.
    init(_ tokens: AccessTokens? = nil) {
        keys = (tokens?.sessionKeys ?? []).map { token, secret in
            Key(token: token, mark: Array(Digest.hmacSHA256Hex(key: secret, Array("mark".utf8)).utf8.prefix(16)), secret: secret)
        }
    }

    /// Begins a session.
    /// - Parameters:
    ///   - token: The digest of its token.
    ///   - name: The name of its cookie.
    ///   - now: Seconds since 1970.
    /// - Returns: The value of the cookie; nil for an unknown token.
    package func begin(_ token: [UInt8], in name: String, at now: Double) -> String? {
        guard let key = keys.first(where: { $0.token == token }) else { return nil }
        let end = Int(now + Self.lifetime)
        return String(decoding: key.mark, as: UTF8.self) + ".\(end)." + Self.seal(name, key.mark, end, key.secret)
    }

    /// Reads the headers of a request (RFC 6265 §5.4).
    /// - Parameters:
    ///   - cookies: `Cookie`.
    ///   - host: `Host`.
    ///   - now: Seconds since 1970.
    package func read(_ cookies: String?, host: String?, at now: Double) -> Reading {
        // Another host of the site can set no cookie with the prefix, so that one decides.
        guard let cookies else { return .nothing }
        for name in [Self.cookie(host: host, isSecure: true), Self.cookie(host: host, isSecure: false)] {
            if let value = Self.value(of: name, in: cookies) { return read(value, name, at: now) }
        }
        return .nothing
    }

    private func read(_ value: String, _ name: String, at now: Double) -> Reading {
        let words = value.split(separator: ".", omittingEmptySubsequences: false)
        guard words.count == 3, words[0].utf8.count == 16, words[2].utf8.count == 64, let end = Int(words[1]), "\(end)" == words[1] else { return .nothing }
        let mark = Array(words[0].utf8)
        // All marks are compared, each in constant time, and a seal is made in any case.
        var found = -1
        for index in keys.indices { found = Digest.areEqual(keys[index].mark, mark) ? index : found }
        let secret = found < 0 ? [] : keys[found].secret
        let isGenuine = Digest.areEqual(Array(Self.seal(name, mark, end, secret).utf8), Array(words[2].utf8))
        guard found >= 0, isGenuine else { return .wrong(value) }
        return Double(end) > now ? .session(token: keys[found].token, until: Double(end)) : .nothing
    }

    private static func seal(_ name: String, _ mark: [UInt8], _ end: Int, _ secret: [UInt8]) -> String {
        Digest.hmacSHA256Hex(key: secret, Array("\(name)=".utf8) + mark + Array(".\(end)".utf8))
    }

    // MARK: Cookies

    /// Returns the name of the cookie. A browser sends cookies to all ports of a host, so the name has the port that the browser sees.
    package static func cookie(host: String?, isSecure: Bool) -> String {
        let name = (isSecure ? "__Host-" : "") + "tintype-session"
        guard let host, let colon = host.lastIndex(of: ":") else { return name }
        let port = host[host.index(after: colon)...]
        guard (1...5).contains(port.utf8.count), port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return name }
        return "\(name)-\(port)"
    }

    /// Returns the value of the first cookie of this name.
    private static func value(of name: String, in cookies: String) -> String? {
        for pair in cookies.split(separator: ";") {
            let words = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if words.count == 2, words[0].drop(while: { $0 == " " }) == name { return String(words[1]) }
        }
        return nil
    }
}
