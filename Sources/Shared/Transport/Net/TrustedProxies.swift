package import TintypeCore

/// The proxies that are believed when they name their clients, by their addresses. Pure.
///
/// Any other peer may claim any address, so no other peer is believed.
package struct TrustedProxies: Sendable, Hashable {
    package static let none = TrustedProxies([])

    private let ranges: [AddressRange]
    /// Whether each of their connections begins with a header of the PROXY protocol. It is never guessed: a client could send one, too.
    let sendHeaders: Bool

    /// Blocks and peers are compared without the mapping of IPv4 addresses into IPv6.
    package init(_ ranges: [AddressRange], sendHeaders: Bool = false) { (self.ranges, self.sendHeaders) = (ranges.map(\.withoutMapping), sendHeaders) }

    /// Returns whether the other side of a connection is one of them.
    func contain(_ peer: ConnectionPeer) -> Bool {
        guard !ranges.isEmpty, let address = IPAddress(String(peer.address.prefix { $0 != "%" })) else { return false }
        return contain(address)
    }

    private func contain(_ address: IPAddress) -> Bool {
        let plain = address.withoutMapping
        return ranges.contains { $0.contains(plain) }
    }

    /// Returns the client of a request that one of them has passed on. Each proxy adds the address that it saw at the end of the list, so the last address
    /// that is no proxy's is the client's. Earlier ones are claims of the client.
    /// - Parameters:
    ///   - peer: the proxy.
    ///   - forwarded: the whole `X-Forwarded-For`; nil without one. At a word that is no address the list ends.
    func client(of peer: ConnectionPeer, forwarded: String?) -> ConnectionPeer {
        var (rest, nearest) = ((forwarded ?? "")[...].utf8, IPAddress?.none)
        while !rest.isEmpty {
            let comma = rest.lastIndex(of: UInt8(ascii: ","))
            guard let address = Self.address(Substring(rest[(comma.map { rest.index(after: $0) } ?? rest.startIndex)...]).trimmed) else { break }
            nearest = address
            guard contain(address), let comma else { break }
            rest = rest[..<comma]
        }
        return nearest.map { ConnectionPeer(address: "\($0)", certificate: peer.certificate) } ?? peer
    }

    /// Reads an address as proxies write it: alone, in brackets, or with a port behind.
    private static func address(_ word: Substring) -> IPAddress? {
        let bytes = word.utf8
        if bytes.first == UInt8(ascii: "[") { return IPAddress(String(Substring(bytes.dropFirst().prefix { $0 != UInt8(ascii: "]") }))) }
        if let alone = IPAddress(String(word)) { return alone }
        return IPAddress(String(Substring(bytes.prefix { $0 != UInt8(ascii: ":") })))
    }
}
