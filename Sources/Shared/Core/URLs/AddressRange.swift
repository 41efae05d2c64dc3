/// A block of addresses in CIDR form, such as `10.0.0.0/8` or `fc00::/7`. A pure value.
package struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    private let base: IPAddress
    private let prefix: Int

    /// Reads `address/bits`, or one address; nil for anything else. Bits after the prefix are ignored.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        let width = if case .v4 = address { 32 } else { 128 }
        guard parts.count == 2 else {
            (base, prefix) = (address, width)
            return
        }
        guard let bits = Int(parts[1]), (0...width).contains(bits), !parts[1].hasPrefix("+") else { return nil }
        (base, prefix) = (Self.masked(address, bits), bits)
    }

    /// Whether the block contains the address. An IPv4 block contains no IPv6 address, not even one with IPv4 inside.
    package func contains(_ address: IPAddress) -> Bool {
        switch (base, address) {
        case (.v4, .v4), (.v6, .v6): Self.masked(address, prefix) == base
        default: false
        }
    }

    /// The IPv4 block that an IPv6 socket shows as `::ffff:a.b.c.d/96+n`; any other block as it is.
    package var withoutMapping: AddressRange {
        guard prefix >= 96, case .v4 = base.withoutMapping else { return self }
        return AddressRange(base.withoutMapping, prefix - 96)
    }

    private init(_ base: IPAddress, _ prefix: Int) { (self.base, self.prefix) = (base, prefix) }

    /// Whether a NAT64 may have this block as its prefix (RFC 6052, section 2.2).
    package var isTranslated: Bool {
        if case .v6 = base { [32, 40, 48, 56, 64, 96].contains(prefix) } else { false }
    }

    /// Returns the IPv4 address that a NAT64 with this prefix sends a packet to. It stands behind the prefix, and bits 64 to 71 are left out (RFC 6052).
    /// - Returns: nil for an address outside of the block.
    package func translated(_ address: IPAddress) -> UInt32? {
        guard isTranslated, contains(address), case .v6(let high, let low) = address else { return nil }
        if prefix == 96 { return UInt32(truncatingIfNeeded: low) }
        let before = 64 - prefix
        return UInt32(truncatingIfNeeded: high) << (32 - before) | UInt32(truncatingIfNeeded: (low << 8) >> (32 + before))
    }

    package var description: String { "\(base)/\(prefix)" }

    private static func masked(_ address: IPAddress, _ bits: Int) -> IPAddress {
        switch address {
        case .v4(let number): .v4(number & ~(UInt32.max >> UInt32(bits)))
        case .v6(let high, let low):
            .v6(high: high & ~(UInt64.max >> UInt64(min(bits, 64))), low: low & ~(UInt64.max >> UInt64(max(bits - 64, 0))))
        }
    }
}
