import TintypeCore

/// The hosts of a rule: one host, all hosts below a domain, or any host. A pure value.
package struct HostPattern: Sendable, Hashable {
    /// The host in lower case; for `*.example.org`, the text after the star.
    private let text: String
    private let isSuffix: Bool

    static let type = ParameterType.pattern(expectation: "a host such as \"example.org\", \"*.example.org\" for all below it, or \"*\"") {
        HostPattern($0) != nil
    }

    static let any = HostPattern()
    private init() { (text, isSuffix) = ("", true) }

    /// Reads a pattern; nil for any other text. A port is not allowed.
    package init?(_ text: String) {
        guard text != "*" else {
            self = .any
            return
        }
        let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
        // The host as downloads see it: without escapes, in ASCII, numbers as addresses.
        guard !name.contains("*"), !name.contains("/"), let url = TransferURL("http://\(name)/"), url.user == nil, url.port == 80,
            !name.hasSuffix(":80"), url.text.hasSuffix("/"), let host = url.plainHost, !host.isEmpty
        else { return nil }
        isSuffix = text.hasPrefix("*.")
        self.text = isSuffix ? "." + host : host
    }

    /// The pattern in the form of queues: the host, `.example.org` for all hosts below it, `*` for any.
    package var queued: String {
        if text.isEmpty { return "*" }
        return text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text
    }

    /// - Parameter host: the host from `TransferURL.plainHost`.
    package func matches(_ host: String) -> Bool { isSuffix ? host.hasSuffix(text) : host == text }
}
