package import TintypeCore

/// The names a service answers to where it asks for no token. Pure.
///
/// A page of the web can have its own name lead to any address (DNS rebinding), and then read what is served there: to the browser both are one
/// origin. It sends that name as `Host`. Only what nobody can have lead here is taken: an address, `localhost`, and the names that the operator
/// has given.
package struct OwnHosts: Sendable, Hashable {
    /// In lower case: a host, `.domain` for all below it, or `*`.
    private let names: [String]

    /// - Parameter names: as `--host-names` takes them.
    package init(_ names: [String] = []) { self.names = names.map { $0.lowercased() } }

    /// Whether a host, with or without port, can only be this machine, the address that was connected to, or a name of the operator's.
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

    /// Whether a request for this host is answered. Programs also use names without a dot, such as a container's, which no name of the web is.
    /// - Parameter host: `Host`; nil where HTTP/1.0 has none.
    package func answers(to host: String?) -> Bool {
        guard let host, !host.isEmpty else { return true }
        if contains(host) { return true }
        guard let name = Self.name(of: host) else { return false }
        return !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
    }

    /// Without its port; nil for what is no host and port. In brackets, none.
    private static func name(of host: String) -> String? {
        let name = host.utf8.prefix { $0 != UInt8(ascii: ":") }
        return isPort(Substring(host.utf8[name.endIndex...])) ? String(Substring(name)) : nil
    }

    /// Whether this is nothing, or a colon and digits (RFC 3986 §3.2.3).
    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || text.utf8.first == UInt8(ascii: ":") && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    /// What a request is told that is not answered.
    package static let refusal = TintypeError(
        .forbidden, .admission, "this service does not answer to the name that Host says; ask by its address, or have the operator add the name (--host-names)")
}
