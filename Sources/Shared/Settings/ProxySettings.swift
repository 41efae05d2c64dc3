package import TintypeCore
package import TintypeTransport

/// The settings of a coordinator for the proxies in front of it.
package struct ProxySettings: Sendable {
    /// A port, by its name in metrics.
    package enum Port: String, Sendable, CaseIterable { case rpc, http, images }

    /// The address ranges of the proxies that are believed when they name their clients.
    package var trusted: [String] = []
    /// The ports at which each connection of such a proxy begins with a header of the PROXY protocol.
    package var headerPorts: [String] = []

    package init() {}

    /// Returns the proxies in front of a port.
    package func before(_ port: Port) -> TrustedProxies {
        TrustedProxies(trusted.compactMap { AddressRange($0) }, sendHeaders: headerPorts.contains(port.rawValue))
    }

    /// - Throws: `SettingError` for settings that miss each other.
    package func check() throws(SettingError) {
        guard headerPorts.isEmpty || !trusted.isEmpty else {
            throw SettingError("--proxy-protocol needs --trusted-proxies: name the addresses of the proxies that send the header")
        }
    }

    static var settings: [Setting<ProxySettings>] {
        [
            Setting(
                "trusted-proxies", \.trusted, .addressRanges, defaultNote: "none",
                help: "The addresses of proxies that name their clients: by the last address of X-Forwarded-For that is no such proxy's, or by "
                    + "--proxy-protocol. Limits by address and log lines then have the client's address. --max-connections-per-address does not hold for "
                    + "the proxies themselves."),
            Setting(
                "proxy-protocol", \.headerPorts, .list(of: "rpc, http and images", placeholder: "PORT,…", isSet: true) { Port(rawValue: $0) != nil },
                defaultNote: "none",
                help: "The ports (rpc, http, images) at which each connection of --trusted-proxies begins with a header of the PROXY protocol, version 1 or "
                    + "2. A connection without one is closed. Connections from other addresses have none."),
        ]
    }
}
