package import TintypeCore

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
            let (path, query) = Self.parted(url.dropFirst(7))
            guard path.hasPrefix("/"), path.utf8.count < 108, let number = Self.number(query["db"]), let time = Self.timeout(query["timeout"]) else {
                throw invalid
            }
            (address, self.tls) = (.unix(path: String(path)), nil)
            user = query["user"].map { PercentText.decoded($0) }
            password = query["password"].map { PercentText.decoded($0) }
            (database, timeout) = (number, time)
            return
        }
        guard let scheme = Self.scheme(of: url) else { throw invalid }
        self.tls = scheme == Self.secure ? tls : nil
        let (login, address, query) = Self.parts(of: url.dropFirst(scheme.count))
        (user, password) = (login.user, login.password)
        let place = address.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let time = Self.timeout(query["timeout"]), let number = Self.number(place.count == 2 ? place[1] : nil),
            let parsed = Self.address(place.first ?? "", port: 6379)
        else { throw invalid }
        (self.address, database, timeout) = (parsed, number, time)
    }

    private static let secure = "rediss://"

    /// Returns how a URL over TCP begins; nil for any other text.
    static func scheme(of url: String) -> String? { ["redis://", secure].first { url.hasPrefix($0) } }

    struct Login {
        var user: String?
        var password: String?
    }

    /// Splits what follows the scheme into the login, the place and the options.
    static func parts(of text: Substring) -> (login: Login, place: Substring, options: [Substring: Substring]) {
        let (login, rest) = login(text)
        let (place, options) = parted(rest)
        return (login, place, options)
    }

    /// Splits a text into the login before the last `@` and what is behind it.
    private static func login(_ text: Substring) -> (Login, Substring) {
        guard let at = text.lastIndex(of: "@") else { return (Login(), text) }
        let words = text[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let user = words.first.flatMap { $0.isEmpty ? nil : PercentText.decoded($0) }
        return (Login(user: user, password: words.count == 2 ? PercentText.decoded(words[1]) : nil), text[text.index(after: at)...])
    }

    /// Reads a host with or without a port; nil if the text is none.
    private static func address(_ text: Substring, port: Int) -> SocketAddress? {
        let hasPort = text.hasPrefix("[") ? text.contains("]:") : text.contains(":")
        let address = try? SocketAddress(hasPort ? String(text) : "\(text):\(port)")
        if case .unix? = address { return nil }
        return address
    }

    /// Reads hosts with commas between them; nil if one of them is none, or is there twice.
    static func addresses(_ text: Substring, port: Int) -> [SocketAddress]? {
        var addresses: [SocketAddress] = []
        for host in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let address = address(host, port: port), !addresses.contains(address) else { return nil }
            addresses.append(address)
        }
        return addresses
    }

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

    /// Returns the timeout of an option, or the default without one; nil for a text that is none.
    static func timeout(_ text: Substring?) -> Duration? {
        guard let text else { return .seconds(5) }
        return DurationText.parse(String(text)).flatMap { (.milliseconds(100) ... .seconds(60)).contains($0) ? $0 : nil }
    }

    /// Returns the number of a database, 0 without one; nil for a text that is none.
    static func number(_ text: Substring?) -> Int? {
        guard let text, !text.isEmpty else { return 0 }
        return Int(text).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The address and database for logs, without the login. No query: log lines replace the values of queries by `***`.
    package var redacted: String {
        switch address {
        case .tcp: "\(tls == nil ? "redis://" : Self.secure)\(address)/\(database)"
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
