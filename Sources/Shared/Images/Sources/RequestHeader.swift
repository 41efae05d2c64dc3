/// Which request headers may be named, and by whom. Pure.
enum RequestHeader {
    /// Whose word it is.
    enum Author: Sendable {
        /// A request's.
        case client
        /// A rule's of the operator, or a fetch that was admitted.
        case rule
    }

    /// What frames the message, names the host or speaks of one connection (RFC 9110 §7.6.1, RFC 9113 §3.2.1): curl's to set, and nobody else's.
    static let framing: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "range", "te", "trailer", "upgrade", "keep-alive", "proxy-connection", "expect",
        "http2-settings",
    ]

    /// What servers inside a network believe: who has asked, by which way, and that it was no browser that was tricked into asking.
    static let trusted: Set<String> = [
        "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip", "cf-connecting-ip", "fastly-client-ip",
        "x-original-url", "x-original-uri", "x-original-host", "x-rewrite-url", "x-http-method", "x-http-method-override", "x-method-override",
        "metadata", "metadata-flavor", "x-google-metadata-request", "x-metadata-token", "x-aliyun-ecs-metadata-token",
    ]
    static let trustedPrefixes = ["proxy-", "x-forwarded-", "x-aws-ec2-metadata-"]

    /// For the reference page.
    static let summary =
        "Refused are those that frame the message or speak of one connection (\(framing.sorted().joined(separator: ", "))), those that servers inside a "
        + "network trust (\((trustedPrefixes.map { $0 + "*" } + trusted).sorted().joined(separator: ", "))) and names with _; a rule may set the latter two."

    /// Whether it is letters, digits, hyphens and underscores.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 128
            && name.utf8.allSatisfy { $0 == 0x2d || $0 == 0x5f || (0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20) }
    }

    /// Whether a header of this name may be set. Some gateways read an underscore as a hyphen, so that names with one are an operator's alone.
    static func isAllowed(_ name: String, by author: Author) -> Bool {
        let plain = name.lowercased()
        guard isName(name), !framing.contains(plain.replacing("_", with: "-")) else { return false }
        switch author {
        case .rule: return true
        case .client: return !plain.utf8.contains(0x5f) && !trusted.contains(plain) && !trustedPrefixes.contains { plain.hasPrefix($0) }
        }
    }
}
