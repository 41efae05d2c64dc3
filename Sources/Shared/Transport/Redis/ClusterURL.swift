import TintypeCore

/// A Redis Cluster and its login, read from a URL.
///
///     cluster://[user[:password]@]host[:port][,host[:port]…][?timeout=5s]
///     clusters://…, the same over TLS
///
/// There is no database: a cluster has only the first one.
package struct ClusterURL: Sendable, Hashable {
    /// The servers to ask first. They tell of all others.
    package let servers: [SocketAddress]
    let password: String?
    private let user: String?
    private let tls: TLSClientFiles?
    package let timeout: Duration

    private static let wanted =
        "expected cluster://[user:password@]host[:port],host[:port]…, or clusters:// for TLS, and ?timeout= of 100ms to 60s behind it. "
        + "A cluster has no database number"
    private static let secure = "clusters://"
    private static let port = 6379

    /// Returns how a URL of a cluster begins; nil for any other text.
    static func scheme(of url: String) -> String? { ["cluster://", secure].first { url.hasPrefix($0) } }

    /// - Parameter tls: the files for a URL of `clusters:`.
    /// - Throws: `RedisError.invalidURL` with the reason, without a password.
    package init(_ url: String, tls: TLSClientFiles = TLSClientFiles()) throws(RedisError) {
        let invalid = RedisError.invalidURL(Self.wanted)
        guard let scheme = Self.scheme(of: url) else { throw invalid }
        self.tls = scheme == Self.secure ? tls : nil
        let (login, place, options) = RedisEndpoint.parts(of: url.dropFirst(scheme.count))
        (user, password) = (login.user, login.password)
        guard options.keys.allSatisfy({ $0 == "timeout" }), let time = RedisEndpoint.timeout(options["timeout"]), !place.contains("/"),
            let servers = RedisEndpoint.addresses(place, port: Self.port)
        else { throw invalid }
        (timeout, self.servers) = (time, servers)
    }

    /// The server at this address, with the login of the URL.
    func server(at address: SocketAddress) -> RedisEndpoint {
        RedisEndpoint(address, user: user, password: password, database: 0, tls: tls, timeout: timeout)
    }

    private var hosts: String { servers.map(\.description).joined(separator: ",") }
    /// The URL without its login.
    var shown: String { (tls == nil ? "cluster://" : Self.secure) + hosts }
    /// The servers for logs. No URL: log lines would take the hosts for a password.
    package var redacted: String { "the cluster of \(hosts)" }
}
