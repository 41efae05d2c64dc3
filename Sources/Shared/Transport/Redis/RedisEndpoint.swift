import TintypeCore

/// The address of a Redis and its login, read from a URL.
///
///     redis://[user[:password]@]host[:port][/database][?timeout=5s]
///     rediss://…, the same over TLS
///     unix:///path/to/redis.sock[?db=n&user=…&password=…&timeout=5s]
package struct RedisEndpoint: Sendable, Hashable {
    package let address: SocketAddress
    package let user: String?
    package let password: String?
    package let database: Int
    /// The files for TLS; nil: the connection has none.
    package let tls: TLSClientFiles?
    /// The time for an answer. After it the connection is given up and another one made.
    package let timeout: Duration

    private static let wanted =
        "expected redis://[user:password@]host[:port][/db], rediss:// for TLS, or unix:///path/to.sock, and ?timeout= of 100ms to 60s behind it"

    /// - Parameter tls: the files for a URL of `rediss:`. Other URLs need none.
    /// - Throws: `RedisError.invalidURL` with the reason, without the password.
    package init(_ url: String, tls: TLSClientFiles = TLSClientFiles()) throws(RedisError) {
        let wanted = Self.wanted
        if url.hasPrefix("unix://") {
            let (path, query) = Self.parted(url.dropFirst(7))
            guard path.hasPrefix("/"), path.utf8.count < 108 else { throw .invalidURL(wanted) }
            (address, self.tls) = (.unix(path: String(path)), nil)
            user = query["user"].map { PercentText.decoded($0) }
            password = query["password"].map { PercentText.decoded($0) }
            database = try Self.number(query["db"], wanted)
            timeout = try Self.timeout(query["timeout"])
            return
        }
        guard let scheme = Self.scheme(of: url) else { throw .invalidURL(wanted) }
        self.tls = scheme == Self.secure ? tls : nil
        var rest = url.dropFirst(scheme.count)
        if let at = rest.lastIndex(of: "@") {
            let login = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            rest = rest[rest.index(after: at)...]
            user = login.first.flatMap { $0.isEmpty ? nil : PercentText.decoded($0) }
            password = login.count == 2 ? PercentText.decoded(login[1]) : nil
        } else {
            user = nil
            password = nil
        }
        let (address, query) = Self.parted(rest)
        timeout = try Self.timeout(query["timeout"])
        let place = address.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        database = try Self.number(place.count == 2 ? place[1] : nil, wanted)
        let host = place.first.map(String.init) ?? ""
        let hasPort = host.hasPrefix("[") ? host.contains("]:") : host.contains(":")
        guard let parsed = try? SocketAddress(hasPort ? host : host + ":6379") else { throw .invalidURL(wanted) }
        self.address = parsed
    }

    private static let secure = "rediss://"

    /// Returns how a URL over TCP begins; nil for any other text.
    private static func scheme(of url: String) -> String? { ["redis://", secure].first { url.hasPrefix($0) } }

    /// Splits the text into the part before the first question mark and the options after it.
    private static func parted(_ text: Substring) -> (Substring, options: [Substring: Substring]) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var options: [Substring: Substring] = [:]
        for pair in (parts.count == 2 ? parts[1] : "").split(separator: "&") {
            let words = pair.split(separator: "=", maxSplits: 1)
            if words.count == 2 { options[words[0]] = words[1] }
        }
        return (parts[0], options)
    }

    private static func timeout(_ text: Substring?) throws(RedisError) -> Duration {
        guard let text else { return .seconds(5) }
        guard let time = DurationText.parse(String(text)), (.milliseconds(100) ... .seconds(60)).contains(time) else { throw .invalidURL(wanted) }
        return time
    }

    private static func number(_ text: Substring?, _ wanted: String) throws(RedisError) -> Int {
        guard let text, !text.isEmpty else { return 0 }
        guard let value = Int(text), value >= 0 else { throw .invalidURL(wanted) }
        return value
    }

    /// Adds a password to a URL without one; nil if the URL has one.
    /// - Throws: `RedisError.invalidURL`.
    package static func url(_ url: String, password: String) throws(RedisError) -> String? {
        guard try RedisEndpoint(url).password == nil else { return nil }
        let escaped = PercentText.encoded(password)
        if url.hasPrefix("unix:") { return url + (url.contains("?") ? "&" : "?") + "password=" + escaped }
        let scheme = Self.scheme(of: url) ?? ""
        let rest = url.dropFirst(scheme.count)
        guard let at = rest.lastIndex(of: "@") else { return "\(scheme):\(escaped)@\(rest)" }
        let user = rest[..<at].prefix { $0 != ":" }
        return "\(scheme)\(user):\(escaped)@\(rest[rest.index(after: at)...])"
    }

    /// The address and database for logs, without the login. No query: log lines replace the values of queries by `***`.
    package var redacted: String {
        switch address {
        case .tcp: "\(tls == nil ? "redis://" : Self.secure)\(address)/\(database)"
        case .unix(let path): "unix://\(path)" + (database == 0 ? "" : " database \(database)")
        }
    }
}
