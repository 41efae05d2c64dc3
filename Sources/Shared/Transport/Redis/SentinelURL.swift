import TintypeCore

/// A Redis that sentinels know by a name, and the logins, read from a URL.
///
///     sentinel://[user[:password]@]host[:port][,host[:port]…]/name[/database][?timeout=5s&sentinelUser=…&sentinelPassword=…]
///     sentinels://…, the same over TLS, to the sentinels and to the Redis
///
/// User and password before the hosts are those of the Redis, as in every other URL. Those of the sentinels are options, because sentinels often have
/// none, and never share those of the Redis by accident.
package struct SentinelURL: Sendable, Hashable {
    /// The sentinels to ask first. They tell of further ones.
    package let sentinels: [SocketAddress]
    /// The name of the Redis at its sentinels (`sentinel monitor NAME …`).
    package let name: String
    package let sentinelUser: String?
    package let sentinelPassword: String?
    let password: String?
    private let user: String?
    private let database: Int
    private let tls: TLSClientFiles?
    package let timeout: Duration

    private static let wanted =
        "expected sentinel://[user:password@]host[:port],host[:port]…/name[/db], or sentinels:// for TLS. "
        + "The name is that of `sentinel monitor`; options are timeout of 100ms to 60s, sentinelUser and sentinelPassword"
    private static let secure = "sentinels://"
    private static let port = 26379
    private static let userOption = "sentinelUser"
    static let passwordOption = "sentinelPassword"

    /// Returns how a URL of sentinels begins; nil for any other text.
    static func scheme(of url: String) -> String? { ["sentinel://", secure].first { url.hasPrefix($0) } }

    /// - Parameter tls: the files for a URL of `sentinels:`.
    /// - Throws: `RedisError.invalidURL` with the reason, without a password.
    package init(_ url: String, tls: TLSClientFiles = TLSClientFiles()) throws(RedisError) {
        let invalid = RedisError.invalidURL(Self.wanted)
        guard let scheme = Self.scheme(of: url) else { throw invalid }
        self.tls = scheme == Self.secure ? tls : nil
        let (login, place, options) = RedisEndpoint.parts(of: url.dropFirst(scheme.count))
        (user, password) = (login.user, login.password)
        guard options.keys.allSatisfy({ ["timeout", Self.userOption, Self.passwordOption].contains(String($0)) }) else { throw invalid }
        guard let time = RedisEndpoint.timeout(options["timeout"]) else { throw invalid }
        timeout = time
        sentinelUser = options[Substring(Self.userOption)].map { PercentText.decoded($0) }
        sentinelPassword = options[Substring(Self.passwordOption)].map { PercentText.decoded($0) }
        let parts = place.split(separator: "/", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), Self.isName(parts[1]), let database = RedisEndpoint.number(parts.count == 3 ? parts[2] : nil),
            let sentinels = RedisEndpoint.addresses(parts[0], port: Self.port)
        else { throw invalid }
        (name, self.database, self.sentinels) = (String(parts[1]), database, sentinels)
    }

    /// Whether Redis would take the name: letters, digits, `.`, `-` and `_`.
    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) || ".-_".utf8.contains($0) }
    }

    /// The Redis at this address, with the login of the URL.
    func server(at address: SocketAddress) -> RedisEndpoint {
        RedisEndpoint(address, user: user, password: password, database: database, tls: tls, timeout: timeout)
    }

    /// The sentinel at this address, with the sentinels' login.
    func sentinel(at address: SocketAddress) -> RedisEndpoint {
        RedisEndpoint(address, user: sentinelUser, password: sentinelPassword, database: 0, tls: tls, timeout: timeout)
    }

    private var hosts: String { sentinels.map(\.description).joined(separator: ",") }

    /// The URL without its logins.
    var shown: String { "\(tls == nil ? "sentinel://" : Self.secure)\(hosts)/\(name)/\(database)" }
    /// The name, the sentinels and the database for logs. No URL: log lines would take the hosts for a password.
    package var redacted: String { "\(name) of the sentinels \(hosts)" + (database == 0 ? "" : ", database \(database)") }
}
