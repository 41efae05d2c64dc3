import TintypeCore
import TintypeTransport

/// Hosts that a rule is about: one, all below one, or any. A pure value.
package struct HostPattern: Sendable, Hashable {
    /// In lower case; of `*.example.org` what follows the star.
    private let text: String
    private let isSuffix: Bool

    static let type = ParameterType.pattern(expectation: "a host such as \"example.org\", \"*.example.org\" for all below it, or \"*\"") {
        HostPattern($0) != nil
    }

    static let any = HostPattern()
    private init() { (text, isSuffix) = ("", true) }

    /// nil for what is none of them. A port is no part of it.
    package init?(_ text: String) {
        guard text != "*" else {
            self = .any
            return
        }
        let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
        // As downloads will see it: without escapes, in ASCII, numbers as addresses.
        guard !name.contains("*"), !name.contains("/"), let url = TransferURL("http://\(name)/"), url.user == nil, url.port == 80,
            !name.hasSuffix(":80"), url.text.hasSuffix("/"), let host = url.plainHost, !host.isEmpty
        else { return nil }
        isSuffix = text.hasPrefix("*.")
        self.text = isSuffix ? "." + host : host
    }

    /// As queues know it, by their word for a host: the host, `.example.org` for all below it, `*` for any.
    package var queued: String {
        if text.isEmpty { return "*" }
        return text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text
    }

    /// - Parameter host: as `TransferURL.plainHost` has it.
    package func matches(_ host: String) -> Bool { isSuffix ? host.hasSuffix(text) : host == text }
}
