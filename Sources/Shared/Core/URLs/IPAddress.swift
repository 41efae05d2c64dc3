import Glibc

/// An IPv4 or IPv6 address as a number. A pure value.
package enum IPAddress: Sendable, Hashable, CustomStringConvertible {
    case v4(UInt32)
    case v6(high: UInt64, low: UInt64)

    /// Reads the text form, such as `127.0.0.1` or `fe80::1` (no port, zone or brackets); nil for anything else.
    package init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self = .v4(UInt32(bigEndian: four.s_addr))
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self = withUnsafeBytes(of: &six) { Self.v6(bytes: $0) }
        } else {
            return nil
        }
    }

    /// Reads the address out of a socket address of `length` bytes; nil for families other than IPv4 and IPv6.
    package init?(socketAddress: UnsafeRawPointer, length: Int) {
        let bytes = UnsafeRawBufferPointer(start: socketAddress, count: length)
        guard length >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(bytes.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            self = .v4(UInt32(bigEndian: bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            let start = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 8
            self = Self.v6(bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<start + 16]))
        default: return nil
        }
    }

    private static func v6(bytes: UnsafeRawBufferPointer) -> IPAddress {
        .v6(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// The IPv4 address that an IPv6 socket shows as `::ffff:a.b.c.d`; any other address as it is.
    package var withoutMapping: IPAddress {
        if case .v6(high: 0, let low) = self, low >> 32 == 0xffff { return .v4(UInt32(truncatingIfNeeded: low)) }
        return self
    }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        switch self {
        case .v4(let number):
            var raw = in_addr(s_addr: number.bigEndian)
            inet_ntop(AF_INET, &raw, &text, socklen_t(text.count))
        case .v6(let high, let low):
            var raw = (high.bigEndian, low.bigEndian)
            inet_ntop(AF_INET6, &raw, &text, socklen_t(text.count))
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }
}
