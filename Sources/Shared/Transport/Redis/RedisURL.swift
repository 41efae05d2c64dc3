import TintypeCore

/// A URL of a Redis as a setting has it: one server, a name that sentinels know, or a cluster.
package enum RedisURL: Sendable, Hashable {
    /// `redis:`, `rediss:` or `unix:`
    case server(RedisEndpoint)
    /// `sentinel:` or `sentinels:`
    case sentinels(SentinelURL)
    /// `cluster:` or `clusters:`
    case cluster(ClusterURL)

    /// - Parameter tls: the files for a URL of `rediss:`, `sentinels:` or `clusters:`. Other URLs need none.
    /// - Throws: `RedisError.invalidURL` with the reason, without a password.
    package init(_ text: String, tls: TLSClientFiles = TLSClientFiles()) throws(RedisError) {
        if SentinelURL.scheme(of: text) != nil {
            self = .sentinels(try SentinelURL(text, tls: tls))
        } else if ClusterURL.scheme(of: text) != nil {
            self = .cluster(try ClusterURL(text, tls: tls))
        } else {
            self = .server(try RedisEndpoint(text, tls: tls))
        }
    }

    /// The kinds of URLs, for messages.
    package static let kinds =
        "redis://host:port, rediss://host:port, unix:///path/to.sock, sentinel://host:port,host:port/name or cluster://host:port,host:port"

    /// Returns a text for the setting's value that may be shown. The hosts of a list would look like a password to `RedactedURL`.
    package static func shown(_ text: String) -> String {
        switch try? RedisURL(text) {
        case .sentinels(let url): url.shown
        case .cluster(let url): url.shown
        case .server, nil: RedactedURL(text).description
        }
    }

    private var password: String? {
        switch self {
        case .server(let endpoint): endpoint.password
        case .sentinels(let url): url.password
        case .cluster(let url): url.password
        }
    }

    /// Adds the password of the Redis to a URL without one; nil if the URL has one.
    /// - Throws: `RedisError.invalidURL`.
    package static func text(_ text: String, password: String) throws(RedisError) -> String? {
        guard try RedisURL(text).password == nil else { return nil }
        let escaped = PercentText.encoded(password)
        guard let scheme = SentinelURL.scheme(of: text) ?? ClusterURL.scheme(of: text) ?? RedisEndpoint.scheme(of: text) else {
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
