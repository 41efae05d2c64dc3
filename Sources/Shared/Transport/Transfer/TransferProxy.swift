package import TintypeCore

/// The operator's proxy, and the hosts that are reached without it. A pure value.
///
/// The address of a server behind a proxy is unknown here, since the proxy resolves its name. Only hosts written as addresses are checked.
package struct TransferProxy: Sendable, Hashable {
    /// The URL may contain a user and a password.
    let url: String
    private let exempt: [String]

    /// - Parameters:
    ///   - url: `http`, `https`, `socks4`, `socks5` or `socks5h`, with host and port, perhaps user and password.
    ///   - exempt: names of hosts. A name that begins with a dot stands for a domain and all below it, `*` for all.
    package init?(_ url: String, exempt: [String] = []) {
        guard let parsed = TransferURL(url), ["http", "https", "socks4", "socks5", "socks5h"].contains(parsed.scheme), !parsed.host.isEmpty else {
            return nil
        }
        // The schemes with which curl leaves the resolving of names to the proxy.
        let asking = ["socks4": "socks4a", "socks5": "socks5h"][parsed.scheme].map { $0 + url.dropFirst(parsed.scheme.count) }
        (self.url, self.exempt) = (asking ?? url, exempt.map { $0.lowercased() })
    }

    /// Returns whether transfers from this host, as in `TransferURL.plainHost`, use the proxy.
    func serves(_ host: String) -> Bool {
        !exempt.contains { $0 == "*" || $0 == host || $0.hasPrefix(".") && (host.hasSuffix($0) || host == $0.dropFirst()) }
    }
}

extension AddressPolicy {
    /// Returns the reason for which a host must not be requested through a proxy; nil if it may. Only a host written as an address can be refused.
    /// - Parameter host: as in `TransferURL.plainHost`.
    func refusal(ofProxied host: String) -> (address: IPAddress, reason: String)? {
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let isLocal = name == "localhost" || name.hasSuffix(".localhost")
        guard let address = isLocal ? IPAddress("127.0.0.1") : IPAddress(name) else { return nil }
        return refusal(of: address).map { (address, $0) }
    }
}

extension SettingType where Value == String {
    /// The URL of a proxy, shown without its password.
    package static var proxyURL: SettingType {
        SettingType(
            placeholder: "URL",
            parse: { text throws(SettingError) in
                guard TransferProxy(text) != nil else {
                    throw .expected("http, https, socks4, socks5 or socks5h://host:port", got: RedactedURL(text).description)
                }
                return text
            },
            text: { $0 }, shown: { RedactedURL($0).description })
    }
}
