import TintypeCore

/// A Redis that sentinels know by a name, and the logins, read from a URL.
///
///     sentinel://[user[:password]@]host[:port][,host[:port]…]/name[/database][?timeout=5s&sentinelUser=…&sentinelPassword=…]
///     sentinels://…, the same over TLS, to the sentinels and to the Redis
///
/// User and password before the hosts are those of the Redis, as in every other URL. Those of the sentinels are options, because sentinels often have
/// none, and never share those of the Redis by accident.
package struct SentinelURL: Sendable, Hashable {
    /// The sentinels to ask first. They name further ones.
    package let sentinels: [SocketAddress]
    /// The name of the Redis at its sentinels (`sentinel monitor NAME …`).
    package let name: String
    /// The login of the Redis, at the address of the first sentinel.
    let server: RedisEndpoint
    /// The first sentinel, with the login of all.
    let sentinel: RedisEndpoint

    private static let wanted =
        "expected sentinel://[user:password@]host[:port],host[:port]…/name[/db], or sentinels:// for TLS. "
        + "The name is that of `sentinel monitor`; options are timeout of 100ms to 60s, sentinelUser and sentinelPassword"
    private static let userOption = "sentinelUser"
    static let passwordOption = "sentinelPassword"

    /// - Parameter tls: the files for a URL of `sentinels:`.
    /// - Throws: `RedisError.invalidURL` with the reason, without a password.
    package init(_ url: String, tls: TLSClientFiles = TLSClientFiles()) throws(RedisError) {
        let invalid = RedisError.invalidURL(Self.wanted)
        guard let parts = RedisURLParts(url), parts.kind == .sentinel else { throw invalid }
        guard parts.options.keys.allSatisfy({ ["timeout", Self.userOption, Self.passwordOption].contains(String($0)) }) else { throw invalid }
        let words = parts.place.split(separator: "/", omittingEmptySubsequences: false)
        guard (2...3).contains(words.count), Self.isName(words[1]), let database = RedisURLParts.number(words.count == 3 ? words[2] : nil),
            let sentinels = RedisURLParts.addresses(words[0], port: 26379), let server = parts.server(at: sentinels[0], database: database, tls: tls)
        else { throw invalid }
        (name, self.sentinels, self.server) = (String(words[1]), sentinels, server)
        func option(_ name: String) -> String? { parts.options[Substring(name)].map { PercentText.decoded($0) } }
        sentinel = RedisEndpoint(
            sentinels[0], user: option(Self.userOption), password: option(Self.passwordOption), database: 0, tls: server.tls, timeout: server.timeout)
    }

    /// Whether Redis would take the name: letters, digits, `.`, `-` and `_`.
    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) || ".-_".utf8.contains($0) }
    }

    private var hosts: String { sentinels.map(\.description).joined(separator: ",") }
    /// The URL without its logins.
    var shown: String { "\(server.tls == nil ? "sentinel://" : "sentinels://")\(hosts)/\(name)/\(server.database)" }
    /// The name, the sentinels and the database for logs. No URL: log lines would take the hosts for a password.
    package var redacted: String { "\(name) of the sentinels \(hosts)" + (server.database == 0 ? "" : ", database \(server.database)") }
}
