import TintypeCore

/// A Redis Cluster and its login, read from a URL.
///
///     cluster://[user[:password]@]host[:port][,host[:port]…][?timeout=5s]
///     clusters://…, the same over TLS
///
/// There is no database: a cluster has only the first one.
package struct ClusterURL: Sendable, Hashable {
    /// The servers to ask first. They name all others.
    package let servers: [SocketAddress]
    /// The first of them, with the login of all.
    let server: RedisEndpoint

    private static let wanted =
        "expected cluster://[user:password@]host[:port],host[:port]…, or clusters:// for TLS, and ?timeout= of 100ms to 60s behind it. "
        + "A cluster has no database number"

    /// - Parameter tls: the files for a URL of `clusters:`.
    /// - Throws: `RedisError.invalidURL` with the reason, without a password.
    package init(_ url: String, tls: TLSClientFiles = TLSClientFiles()) throws(RedisError) {
        guard let parts = RedisURLParts(url), parts.kind == .cluster, parts.options.keys.allSatisfy({ $0 == "timeout" }), !parts.place.contains("/"),
            let servers = RedisURLParts.addresses(parts.place, port: 6379), let server = parts.server(at: servers[0], tls: tls)
        else { throw .invalidURL(Self.wanted) }
        (self.servers, self.server) = (servers, server)
    }

    private var hosts: String { servers.map(\.description).joined(separator: ",") }
    /// The URL without its login.
    var shown: String { (server.tls == nil ? "cluster://" : "clusters://") + hosts }
    /// The servers for logs. No URL: log lines would take the hosts for a password.
    package var redacted: String { "the cluster of \(hosts)" }
}
