package import TintypeCore

/// The host names that a service answers to if it needs no token. Pure.
///
/// A web page can make its own name resolve to any address (DNS rebinding), and then read the answers. For the browser both are one origin, and it
/// sends that name as `Host`. So only hosts that no page can redirect are accepted: an address, `localhost`, and the names that the operator has given.
package struct AllowedHosts: Sendable, Hashable {
    /// The names in lower case: a host, `.domain` for all below it, or `*`.
    private let names: [String]

    /// - Parameter names: the value of `--host-names`.
    package init(_ names: [String] = []) { self.names = names.map { $0.lowercased() } }

    /// Returns whether a host, with or without port, can only be this machine, the address of the connection, or a name of the operator.
    package func contains(_ host: String) -> Bool {
        if names.contains("*") { return true }
        let host = host.lowercased()
        if host.utf8.first == UInt8(ascii: "["), let end = host.utf8.firstIndex(of: UInt8(ascii: "]")) {
            return Self.isPort(host[end...].dropFirst()) && IPAddress(String(host[..<end].dropFirst())) != nil
        }
        guard let name = Self.name(of: host) else { return false }
        if name == "localhost" || name.hasSuffix(".localhost") || IPAddress(name) != nil { return true }
        return names.contains { $0 == name || ($0.hasPrefix(".") && name.hasSuffix($0)) }
    }

    /// Returns whether a request for this host is answered. Programs also use names without a dot, such as a container's. Public names always have a dot.
    /// - Parameter host: the `Host` header; nil if HTTP/1.0 has none.
    package func answers(to host: String?) -> Bool {
        guard let host, !host.isEmpty else { return true }
        if contains(host) { return true }
        guard let name = Self.name(of: host) else { return false }
        return !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
    }

    /// Returns the host without its port; nil for text that is no host and port, or is in brackets.
    private static func name(of host: String) -> String? {
        let name = host.utf8.prefix { $0 != UInt8(ascii: ":") }
        return isPort(Substring(host.utf8[name.endIndex...])) ? String(Substring(name)) : nil
    }

    /// Returns whether the text is empty, or a colon and digits (RFC 3986 §3.2.3).
    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || text.utf8.first == UInt8(ascii: ":") && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The answer to a request that is refused.
    package static let refusal = TintypeError(
        .forbidden, .admission, "this service does not answer to the name in Host; use its address, or let the operator add the name (--host-names)")
}
