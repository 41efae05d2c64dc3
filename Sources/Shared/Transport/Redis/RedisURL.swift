import TintypeCore

/// A URL of a Redis as a setting has it: one server, or a name that sentinels know.
package enum RedisURL: Sendable, Hashable {
    /// `redis:`, `rediss:` or `unix:`
    case server(RedisEndpoint)
    /// `sentinel:` or `sentinels:`
    case sentinels(SentinelURL)

    /// - Parameter tls: the files for a URL of `rediss:` or `sentinels:`. Other URLs need none.
    /// - Throws: `RedisError.invalidURL` with the reason, without a password.
    package init(_ text: String, tls: TLSClientFiles = TLSClientFiles()) throws(RedisError) {
        self = SentinelURL.scheme(of: text) == nil ? .server(try RedisEndpoint(text, tls: tls)) : .sentinels(try SentinelURL(text, tls: tls))
    }

    /// The kinds of URLs, for messages.
    package static let kinds = "redis://host:port, rediss://host:port, unix:///path/to.sock or sentinel://host:port,host:port/name"

    /// Returns a text for the setting's value that may be shown. The hosts of a list would look like a password to `RedactedURL`.
    package static func shown(_ text: String) -> String {
        if case .sentinels(let url)? = try? RedisURL(text) { url.shown } else { RedactedURL(text).description }
    }

    private var password: String? {
        switch self {
        case .server(let endpoint): endpoint.password
        case .sentinels(let url): url.password
        }
    }

    /// Adds the password of the Redis to a URL without one; nil if the URL has one.
    /// - Throws: `RedisError.invalidURL`.
    package static func text(_ text: String, password: String) throws(RedisError) -> String? {
        guard try RedisURL(text).password == nil else { return nil }
        let escaped = PercentText.encoded(password)
        guard let scheme = SentinelURL.scheme(of: text) ?? RedisEndpoint.scheme(of: text) else {
            return text + (text.contains("?") ? "&" : "?") + "password=" + escaped
        }
        let rest = text.dropFirst(scheme.count)
        guard let at = rest.lastIndex(of: "@") else { return "\(scheme):\(escaped)@\(rest)" }
        let user = rest[..<at].prefix { $0 != ":" }
        return "\(scheme)\(user):\(escaped)@\(rest[rest.index(after: at)...])"
    }

    /// Adds the password of the sentinels to a URL without one; nil if the URL has one, or names no sentinels.
    /// - Throws: `RedisError.invalidURL`.
    package static func text(_ text: String, sentinelPassword: String) throws(RedisError) -> String? {
        guard case .sentinels(let url) = try RedisURL(text), url.sentinelPassword == nil else { return nil }
        return text + (text.contains("?") ? "&" : "?") + SentinelURL.passwordOption + "=" + PercentText.encoded(sentinelPassword)
    }
}
