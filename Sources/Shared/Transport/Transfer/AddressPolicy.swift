package import TintypeCore

/// The addresses that a transfer may connect to: public ones, and those that the operator allows.
///
/// The check uses the address that a socket is about to connect to, after the name was resolved, and again for every redirect. So neither a name that
/// points to an inner address nor one that changes its address passes. A pure value.
package struct AddressPolicy: Sendable, Hashable {
    private let allowed: [AddressRange]
    private let translated: [AddressRange]

    /// - Parameters:
    ///   - allowing: blocks that are allowed although they are not public (`--allow-addresses`).
    ///   - translating: the prefixes of the operator's NAT64 (`--nat64-prefix`). Only the IPv4 address inside counts for addresses with such a prefix.
    package init(allowing: [AddressRange] = [], translating: [AddressRange] = []) { (allowed, translated) = (allowing, translating) }

    /// Returns the reason for which the address is refused, in a few words; nil if it is allowed.
    package func refusal(of address: IPAddress) -> String? {
        if let inner = translated.lazy.compactMap({ $0.translated(address) }).first { return refusal(of: .v4(inner)).map { "\($0) inside IPv6" } }
        if allowed.contains(where: { $0.contains(address) }) { return nil }
        switch address {
        case .v4:
            return Self.refusedV4.first { $0.range.contains(address) }?.reason
        case .v6(let high, let low):
            if let known = Self.refusedV6.first(where: { $0.range.contains(address) }) { return known.reason }
            for inner in Self.embedded(high, low) {
                if let reason = refusal(of: .v4(inner)) { return "\(reason) inside IPv6" }
            }
            return nil
        }
    }

    /// Returns the IPv4 addresses that a packet to this IPv6 address may end at.
    private static func embedded(_ high: UInt64, _ low: UInt64) -> [UInt32] {
        let tail = UInt32(truncatingIfNeeded: low)
        // IPv4-mapped ::ffff:0:0/96, IPv4-translated ::ffff:0:0:0/96 and IPv4-compatible ::/96.
        if high == 0, [0, 0xffff].contains(low >> 32) || low >> 32 == 0xffff_0000 { return [tail] }
        // NAT64's well-known prefix 64:ff9b::/96.
        if high == 0x0064_ff9b_0000_0000, low >> 32 == 0 { return [tail] }
        // 6to4, 2002:V4ADDR::/48.
        if high >> 48 == 0x2002 { return [UInt32(truncatingIfNeeded: high >> 16)] }
        // Teredo, 2001:0:SERVER:…:~CLIENT.
        if high >> 32 == 0x2001_0000 { return [UInt32(truncatingIfNeeded: high), ~tail] }
        // ISATAP: an interface identifier of 0000:5efe or 0200:5efe, then the address.
        if (low >> 32) & 0xfdff_ffff == 0x0000_5efe { return [tail] }
        return []
    }

    private struct Refused {
        let range: AddressRange
        let reason: String
        init(_ range: String, _ reason: String) {
            guard let parsed = AddressRange(range) else { preconditionFailure("no address range: \(range)") }
            (self.range, self.reason) = (parsed, reason)
        }
    }

    private static let refusedV4: [Refused] = [
        Refused("0.0.0.0/8", "unspecified"),
        Refused("10.0.0.0/8", "private"),
        Refused("100.64.0.0/10", "carrier-grade NAT"),
        Refused("127.0.0.0/8", "loopback"),
        Refused("168.63.129.16/32", "a cloud's own service"),
        Refused("169.254.0.0/16", "link-local"),
        Refused("172.16.0.0/12", "private"),
        Refused("192.0.0.0/24", "protocol assignments"),
        Refused("192.0.2.0/24", "documentation"),
        Refused("192.88.99.0/24", "6to4 relay"),
        Refused("192.168.0.0/16", "private"),
        Refused("198.18.0.0/15", "benchmarking"),
        Refused("198.51.100.0/24", "documentation"),
        Refused("203.0.113.0/24", "documentation"),
        Refused("224.0.0.0/4", "multicast"),
        Refused("240.0.0.0/4", "reserved"),
    ]

    private static let refusedV6: [Refused] = [
        Refused("::/128", "unspecified"),
        Refused("::1/128", "loopback"),
        Refused("64:ff9b:1::/48", "local NAT64"),
        Refused("100::/64", "discard"),
        Refused("2001:2::/48", "benchmarking"),
        Refused("2001:10::/28", "ORCHID"),
        Refused("2001:20::/28", "ORCHID"),
        Refused("2001:db8::/32", "documentation"),
        Refused("3fff::/20", "documentation"),
        Refused("5f00::/16", "segment routing"),
        Refused("fc00::/7", "unique local"),
        Refused("fe80::/10", "link-local"),
        Refused("fec0::/10", "site-local"),
        Refused("ff00::/8", "multicast"),
    ]
}
