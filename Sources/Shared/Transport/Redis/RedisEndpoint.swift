package import TintypeCore

/// The address of a Redis and its login, read from a URL.
///
///     redis://[user[:password]@]host[:port][/database][?timeout=5s]
///     rediss://…, the same over TLS
///     unix:///path/to/redis.sock[?db=n&user=…&password=…&timeout=5s]
package struct RedisEndpoint: Sendable, Hashable {
    package private(set) var address: SocketAddress
    package let user: String?
    package let password: String?
    package let database: Int
    /// The files for TLS; nil: the connection has none.
    package let tls: TLSClientFiles?
    /// The time for an answer. After it the connection is given up and another one made.
    package let timeout: Duration

    private static let wanted =
        "expected redis://[user:password@]host[:port][/db], rediss:// for TLS, unix:///path/to.sock, sentinel://host:port,host:port/name, or "
        + "cluster://host:port,host:port, and ?timeout= of 100ms to 60s behind it"

    init(_ address: SocketAddress, user: String?, password: String?, database: Int, tls: TLSClientFiles?, timeout: Duration) {
        (self.address, self.user, self.password, self.database, self.tls, self.timeout) = (address, user, password, database, tls, timeout)
    }

    /// - Parameter tls: the files for a URL of `rediss:`. Other URLs need none.
    /// - Throws: `RedisError.invalidURL` with the reason, without the password.
    package init(_ url: String, tls: TLSClientFiles = TLSClientFiles()) throws(RedisError) {
        let invalid = RedisError.invalidURL(Self.wanted)
        if url.hasPrefix("unix://") {
            let (path, query) = RedisURLParts.parted(url.dropFirst(7))
            guard path.hasPrefix("/"), path.utf8.count < 108, let database = RedisURLParts.number(query["db"]),
                let timeout = RedisURLParts.timeout(query["timeout"])
            else { throw invalid }
            self.init(
                .unix(path: String(path)), user: query["user"].map { PercentText.decoded($0) }, password: query["password"].map { PercentText.decoded($0) },
                database: database, tls: nil, timeout: timeout)
            return
        }
        guard let parts = RedisURLParts(url), parts.kind == .redis else { throw invalid }
        let words = parts.place.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = RedisURLParts.address(words[0], port: 6379), let database = RedisURLParts.number(words.count == 2 ? words[1] : nil),
            let server = parts.server(at: address, database: database, tls: tls)
        else { throw invalid }
        self = server
    }

    /// Returns the server at another address with the same login.
    package func at(_ address: SocketAddress) -> RedisEndpoint {
        var server = self
        server.address = address
        return server
    }

    /// The address and database for logs, without the login. No query: log lines replace the values of queries by `***`.
    package var redacted: String {
        switch address {
        case .tcp: "\(tls == nil ? "redis://" : "rediss://")\(address)/\(database)"
        case .unix(let path): "unix://\(path)" + (database == 0 ? "" : " database \(database)")
        }
    }
}

extension SettingType where Value == String {
    /// The URL of a Redis, shown without its password.
    package static var redisURL: SettingType {
        SettingType(
            placeholder: "URL",
            parse: { text throws(SettingError) in
                do throws(RedisError) {
                    _ = try RedisURL(text)
                    return text
                } catch {
                    throw SettingError("\(error), got \"\(RedisURL.shown(text))\"")
                }
            },
            text: { $0 }, shown: { RedisURL.shown($0) })
    }
}
