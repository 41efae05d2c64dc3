/// The address of a coordinator.
package struct Address: Sendable, Hashable {
    enum Kind: Sendable {
        case tcp, http
    }

    let kind: Kind
    let isSecure: Bool
    /// A name or an address; without the brackets of an IPv6 address.
    let host: String
    let port: Int
    /// The text before the paths of HTTP, without a slash at its end; or the path of a Unix socket.
    let path: String
    let isUnix: Bool

    static let wanted = "tcp://HOST:PORT, tls://HOST:PORT, unix:///PATH, http://HOST:PORT or https://HOST"

    /// Reads an address. Without a scheme it is TCP; the usual port is 7411.
    ///
    /// - Throws: `invalidURL` when the text is no address, or has a user or a password.
    package init(_ text: String) throws(TintypeError) {
        let full = text.contains("://") ? text : "tcp://\(text)"
        let parts = full.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = parts[0].lowercased()
        let slash = parts[1].firstIndex(of: "/") ?? parts[1].endIndex
        let authority = parts[1][..<slash]
        var path = String(parts[1][slash...])
        // The text is not shown where it may have a secret.
        if authority.contains("@") { throw .local(.invalidURL, "an address of a coordinator has a user or a password: give the token as an option") }
        let wrong = TintypeError.local(.invalidURL, "\"\(text)\" is no address of a coordinator: give \(Self.wanted)")
        if scheme == "unix" {
            guard authority.isEmpty, path.count > 1 else { throw wrong }
            (kind, isSecure, isUnix, host, port, self.path) = (.tcp, false, true, "", 0, path)
            return
        }
        while path.hasSuffix("/") { path.removeLast() }
        guard let (host, port) = Self.hostAndPort(authority), !path.contains(where: { "?# ".contains($0) }) else { throw wrong }
        switch scheme {
        case "tcp", "tls":
            guard path.isEmpty else { throw wrong }
            (kind, isSecure) = (.tcp, scheme == "tls")
        case "http", "https": (kind, isSecure) = (.http, scheme == "https")
        default: throw wrong
        }
        let usual = kind == .tcp ? 7411 : isSecure ? 443 : 80
        (self.host, self.port, self.path, isUnix) = (host, port ?? usual, path, false)
    }

    private static func hostAndPort(_ authority: Substring) -> (String, Int?)? {
        var host = authority
        var rest = Substring()
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            rest = authority[colon...]
        }
        guard !host.isEmpty, !host.contains(where: { $0.isWhitespace || "?#[]".contains($0) }) else { return nil }
        if rest.isEmpty { return (String(host), nil) }
        guard rest.hasPrefix(":"), rest.dropFirst().allSatisfy(\.isNumber), let port = Int(rest.dropFirst()), 1...65535 ~= port else { return nil }
        return (String(host), port)
    }

    /// The host as it stands in a URL.
    var hostInURL: String { host.contains(":") ? "[\(host)]" : host }

    /// Reads several addresses of one kind, in a chance order, so that many clients use all coordinators. A text may have several, with commas between.
    ///
    /// - Throws: `invalidURL` when there is none, or TCP and HTTP are mixed.
    static func all(_ texts: [String], chance: Double = .random(in: 0..<1)) throws(TintypeError) -> [Address] {
        var found: [Address] = []
        for text in texts {
            for one in text.split(separator: ",") { found.append(try Address(one.trimmingSpaces())) }
        }
        if found.isEmpty { throw .local(.invalidURL, "no address of a coordinator is given: give \(wanted)") }
        if found.contains(where: { $0.kind != found[0].kind }) {
            throw .local(.invalidURL, "give addresses of one kind: tcp:// and tls://, or http:// and https://")
        }
        let first = Int(chance * Double(found.count))
        return Array(found[first...] + found[..<first])
    }
}

extension Address: CustomStringConvertible {
    package var description: String {
        if isUnix { return "unix://\(path)" }
        switch kind {
        case .tcp: return "\(isSecure ? "tls" : "tcp")://\(hostInURL):\(port)"
        case .http: return "\(isSecure ? "https" : "http")://\(hostInURL):\(port)\(path)"
        }
    }
}

extension Substring {
    func trimmingSpaces() -> String {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
