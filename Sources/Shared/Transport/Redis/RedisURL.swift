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
        switch RedisURLParts(text)?.kind {
        case .sentinel: self = .sentinels(try SentinelURL(text, tls: tls))
        case .cluster: self = .cluster(try ClusterURL(text, tls: tls))
        case .redis, nil: self = .server(try RedisEndpoint(text, tls: tls))
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

    /// Adds the password of the Redis to a URL without one; nil if the URL has one.
    /// - Throws: `RedisError.invalidURL`.
    package static func text(_ text: String, password: String) throws(RedisError) -> String? {
        let server =
            switch try RedisURL(text) {
            case .server(let endpoint): endpoint
            case .sentinels(let url): url.server
            case .cluster(let url): url.server
            }
        guard server.password == nil else { return nil }
        let escaped = PercentText.encoded(password)
        guard let scheme = RedisURLParts(text)?.scheme else { return text + (text.contains("?") ? "&" : "?") + "password=" + escaped }
        let rest = text.dropFirst(scheme.count)
        guard let at = rest.lastIndex(of: "@") else { return "\(scheme):\(escaped)@\(rest)" }
        let user = rest[..<at].prefix { $0 != ":" }
        return "\(scheme)\(user):\(escaped)@\(rest[rest.index(after: at)...])"
    }

    /// Adds the password of the sentinels to a URL without one; nil if the URL has one, or names no sentinels.
    /// - Throws: `RedisError.invalidURL`.
    package static func text(_ text: String, sentinelPassword: String) throws(RedisError) -> String? {
        guard case .sentinels(let url) = try RedisURL(text), url.sentinel.password == nil else { return nil }
        return text + (text.contains("?") ? "&" : "?") + SentinelURL.passwordOption + "=" + PercentText.encoded(sentinelPassword)
    }
}

/// The parts of a URL of one server or several over TCP. None of them is judged yet.
///
///     SCHEME://[user[:password]@]PLACE[?options]
struct RedisURLParts {
    enum Kind: String { case redis, sentinel, cluster }

    let kind: Kind
    /// The beginning, with the slashes. An `s` behind the kind stands for TLS.
    let scheme: String
    /// Whether the connections use TLS.
    let isSecure: Bool
    let user: String?
    let password: String?
    /// The hosts, and all else before the options.
    let place: Substring
    let options: [Substring: Substring]

    /// - Returns: nil for a URL of any other scheme.
    init?(_ url: String) {
        let name = url.prefix { $0 != ":" }
        let plain = Kind(rawValue: String(name))
        guard let kind = plain ?? (name.hasSuffix("s") ? Kind(rawValue: String(name.dropLast())) : nil) else { return nil }
        guard url.dropFirst(name.count).hasPrefix("://") else { return nil }
        (self.kind, scheme, isSecure) = (kind, "\(name)://", plain == nil)
        let text = url.dropFirst(scheme.count)
        if let at = text.lastIndex(of: "@") {
            let words = text[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = words.first.flatMap { $0.isEmpty ? nil : PercentText.decoded($0) }
            password = words.count == 2 ? PercentText.decoded(words[1]) : nil
            (place, options) = Self.parted(text[text.index(after: at)...])
        } else {
            (user, password) = (nil, nil)
            (place, options) = Self.parted(text)
        }
    }

    /// Returns a server with the login of the URL; nil if the option `timeout` is none.
    /// - Parameters:
    ///   - address: the address of any of its servers.
    ///   - tls: the files for TLS.
    func server(at address: SocketAddress, database: Int = 0, tls: TLSClientFiles) -> RedisEndpoint? {
        Self.timeout(options["timeout"]).map {
            RedisEndpoint(address, user: user, password: password, database: database, tls: isSecure ? tls : nil, timeout: $0)
        }
    }

    /// Reads hosts with commas between them, at least one; nil if one of them is none, or is there twice.
    static func addresses(_ text: Substring, port: Int) -> [SocketAddress]? {
        var addresses: [SocketAddress] = []
        for host in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let address = address(host, port: port), !addresses.contains(address) else { return nil }
            addresses.append(address)
        }
        return addresses
    }

    /// Reads a host with or without a port; nil if the text is none.
    static func address(_ text: Substring, port: Int) -> SocketAddress? {
        let hasPort = text.hasPrefix("[") ? text.contains("]:") : text.contains(":")
        let address = try? SocketAddress(hasPort ? String(text) : "\(text):\(port)")
        if case .unix? = address { return nil }
        return address
    }

    /// Splits the text into the part before the first question mark and the options after it.
    static func parted(_ text: Substring) -> (Substring, options: [Substring: Substring]) {
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
}
