import TintypeCore

/// The operator's way into the network: a proxy, and the hosts that are reached without it. A pure value.
///
/// Through a proxy the address of a server is not ours to see: the proxy resolves its name. Only hosts written as addresses are checked.
package struct TransferProxy: Sendable, Hashable {
    /// May hold a user and a password.
    let url: String
    private let exempt: [String]

    /// - Parameters:
    ///   - url: `http`, `https`, `socks4`, `socks5` or `socks5h`, with host and port, perhaps user and password.
    ///   - exempt: names of hosts; one that begins with a dot stands for a domain and all in it, `*` for all.
    package init?(_ url: String, exempt: [String] = []) {
        guard let parsed = TransferURL(url), ["http", "https", "socks4", "socks5", "socks5h"].contains(parsed.scheme), !parsed.host.isEmpty else {
            return nil
        }
        // Those by which curl leaves names to the proxy.
        let asking = ["socks4": "socks4a", "socks5": "socks5h"][parsed.scheme].map { $0 + url.dropFirst(parsed.scheme.count) }
        (self.url, self.exempt) = (asking ?? url, exempt.map { $0.lowercased() })
    }

    /// Whether transfers from this host, as `TransferURL.plainHost` has it, go through it.
    func serves(_ host: String) -> Bool {
        !exempt.contains { $0 == "*" || $0 == host || $0.hasPrefix(".") && (host.hasSuffix($0) || host == $0.dropFirst()) }
    }
}

extension AddressPolicy {
    /// Why a host must not be asked for through a proxy, as far as it says its address itself; nil if it may.
    /// - Parameter host: as `TransferURL.plainHost` has it.
    func refusal(ofProxied host: String) -> (address: IPAddress, reason: String)? {
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let isLocal = name == "localhost" || name.hasSuffix(".localhost")
        guard let address = isLocal ? IPAddress("127.0.0.1") : IPAddress(name) else { return nil }
        return refusal(of: address).map { (address, $0) }
    }
}
