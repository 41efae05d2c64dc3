package import TintypeCore

/// The other side of a connection: the client as the connection shows it, or as a trusted proxy names it. A value.
package struct ConnectionPeer: Sendable, Hashable {
    /// The address as text, without a port; empty if there is none, as on a Unix socket.
    package let address: String
    /// The unit by which clients are limited: an IPv4 address, or an IPv6 network of 64 bits. nil for a Unix socket.
    ///
    /// A host may have all addresses of such a network. The text is made once for a connection, and that of IPv4 needs no memory of its own.
    package let network: String?
    /// The names in the client's certificate, once it is verified. nil without TLS, or without a certificate.
    package let certificate: CertificateNames?

    package init(address: String, certificate: CertificateNames? = nil) {
        (self.address, self.certificate) = (address, certificate)
        // A zone names our interface, not another host.
        network = IPAddress(String(address.prefix { $0 != "%" })).map(Self.network)
    }

    init(_ address: SocketAddress?, certificate: CertificateNames? = nil) {
        let host = if case .tcp(let host, _)? = address { host } else { "" }
        self.init(address: host, certificate: certificate)
    }

    private static func network(of address: IPAddress) -> String {
        switch address.withoutMapping {
        case .v6(high: 0, _), .v4: "\(address.withoutMapping)"
        case .v6(let high, _): "\(IPAddress.v6(high: high, low: 0))/64"
        }
    }
}
