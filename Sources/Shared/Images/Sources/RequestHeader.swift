import TintypeCore

/// The rules for the names of request headers: which may be set, and by whom. Pure.
enum RequestHeader {
    enum Author: Sendable {
        /// A request.
        case client
        /// A rule of the operator, or an accepted fetch.
        case rule
    }

    /// Headers that frame the message, name the host or concern one connection (RFC 9110 §7.6.1, RFC 9113 §3.2.1). Only curl sets them.
    static let framing: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "range", "te", "trailer", "upgrade", "keep-alive", "proxy-connection", "expect",
        "http2-settings",
    ]

    /// Headers that servers inside a network trust: the caller, the path of the request, and the proof that no browser was tricked into asking.
    static let trusted: Set<String> = [
        "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip", "cf-connecting-ip", "fastly-client-ip",
        "x-original-url", "x-original-uri", "x-original-host", "x-rewrite-url", "x-http-method", "x-http-method-override", "x-method-override",
        "metadata", "metadata-flavor", "x-google-metadata-request", "x-metadata-token", "x-aliyun-ecs-metadata-token",
    ]
    static let trustedPrefixes = ["proxy-", "x-forwarded-", "x-aws-ec2-metadata-"]

    /// The rules in words, for the reference page.
    static let summary =
        "Refused are headers that frame the message or concern one connection (\(framing.sorted().joined(separator: ", "))), headers that servers inside a "
        + "network trust (\((trustedPrefixes.map { $0 + "*" } + trusted).sorted().joined(separator: ", "))) and names with _. A rule may set the latter two "
        + "kinds."

    /// Whether a name has only letters, digits, hyphens and underscores.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 128
            && name.utf8.allSatisfy { $0 == 0x2d || $0 == 0x5f || $0.isDigit || $0.isLetter }
    }

    /// Returns a name for an error. A text that is no name may be a whole header with a secret.
    static func shown(_ name: String) -> JSON { isName(name) ? .string(name) : JSON.string(name).shown }

    /// Whether an author may set a header of this name. Some gateways read an underscore as a hyphen, so only an operator may use such names.
    static func isAllowed(_ name: String, by author: Author) -> Bool {
        let plain = name.lowercased()
        guard isName(name), !framing.contains(plain.replacing("_", with: "-")) else { return false }
        switch author {
        case .rule: return true
        case .client: return !plain.utf8.contains(0x5f) && !trusted.contains(plain) && !trustedPrefixes.contains { plain.hasPrefix($0) }
        }
    }
}
