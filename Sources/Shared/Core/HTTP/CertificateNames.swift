/// The names that identify the owner of a certificate: its subject alternative names (RFC 5280 §4.2.1.6). A pure value.
package struct CertificateNames: Sendable, Hashable {
    /// In the order of the certificate.
    package let uris: [String]
    package let dns: [String]

    package init(uris: [String] = [], dns: [String] = []) { (self.uris, self.dns) = (uris, dns) }

    /// The names in the order in which they identify a client. URIs come first: a URI names one program, and a DNS name may name a whole host.
    package var inOrder: [String] { (uris + dns).map(Self.plain) }

    /// Returns the form in which names are compared: DNS names in lower case (RFC 4343), URIs as they are. Only URIs have a colon.
    package static func plain(_ name: String) -> String { name.utf8.contains(UInt8(ascii: ":")) ? name : name.lowercased() }
}
