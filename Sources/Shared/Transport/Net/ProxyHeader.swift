import TintypeCore

/// The first bytes of a connection by which a proxy names its client: the PROXY protocol of HAProxy, versions 1 and 2. Pure.
///
/// The client's own bytes follow at once. So the header takes no byte behind its end, however the bytes are cut. Its additions (TLV) are not read.
/// The specification is https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt.
struct ProxyHeader: Sendable {
    enum Reading: Sendable, Hashable {
        /// The header goes on.
        case more
        /// The client; nil: the proxy speaks for itself, as for a health check, or does not know the client.
        case client(SocketAddress?)
        /// The bytes are no header. The text follows after "the header".
        case broken(String)
    }

    /// The most bytes of version 1, with its line break (§2.1).
    static let mostOfText = 107
    /// The most bytes of version 2. Addresses of IPv6 take 52. The others are additions, such as the names of a certificate.
    static let most = 4 << 10

    private static let text = Array("PROXY ".utf8)
    private static let binary: [UInt8] = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]

    private var bytes: [UInt8] = []
    private(set) var reading = Reading.more

    /// Reads a piece.
    /// - Returns: how many of its bytes belong to the header.
    mutating func take(_ piece: some Collection<UInt8>) -> Int {
        var taken = 0
        for byte in piece {
            guard reading == .more else { break }
            bytes.append(byte)
            taken += 1
            reading = bytes[0] == Self.text[0] ? readingOfText() : readingOfBinary()
        }
        return taken
    }

    /// Looks at the last byte of version 1: `PROXY TCP4 192.0.2.1 198.51.100.1 56324 443` and CR LF.
    private func readingOfText() -> Reading {
        let count = bytes.count
        guard count > Self.text.count else { return bytes[count - 1] == Self.text[count - 1] ? .more : .broken("begins with other bytes") }
        guard bytes[count - 1] == 10 else { return count < Self.mostOfText ? .more : .broken("has no end") }
        guard bytes[count - 2] == 13 else { return .broken("ends without a carriage return") }
        let words = bytes.dropLast(2).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
        if words[1] == "UNKNOWN" { return .client(nil) }
        guard words.count == 6, let client = IPAddress(words[2]), let server = IPAddress(words[3]), let port = UInt16(words[4]), UInt16(words[5]) != nil else {
            return .broken("has no two addresses with their ports")
        }
        switch (words[1], client, server) {
        case ("TCP4", .v4, .v4), ("TCP6", .v6, .v6): return .client(.tcp(host: "\(client)", port: port))
        default: return .broken("names another family than that of its addresses")
        }
    }

    /// Looks at the last byte of version 2: 12 fixed bytes, version and command, family, length, and addresses.
    private func readingOfBinary() -> Reading {
        let (count, fixed) = (bytes.count, Self.binary.count)
        guard count > fixed else { return bytes[count - 1] == Self.binary[count - 1] ? .more : .broken("begins with other bytes") }
        guard count >= fixed + 4 else { return .more }
        let whole = fixed + 4 + Int(bytes[fixed + 2]) << 8 + Int(bytes[fixed + 3])
        guard whole <= Self.most else { return .broken("is longer than \(Self.most) bytes") }
        guard count == whole else { return .more }
        let isLocal = bytes[fixed] == 0x20
        guard isLocal || bytes[fixed] == 0x21 else { return .broken("has an unknown version or command") }
        let places = bytes[(fixed + 4)...]
        switch bytes[fixed + 1] {
        // Unspecified, and the sockets of a machine (§2.2).
        case _ where isLocal, 0x00, 0x31: return .client(nil)
        case 0x11 where places.count >= 12:
            return .client(.tcp(host: "\(IPAddress.v4(UInt32(Self.number(places.prefix(4)))))", port: Self.port(places.dropFirst(8))))
        case 0x21 where places.count >= 36:
            let client = IPAddress.v6(high: Self.number(places.prefix(8)), low: Self.number(places.dropFirst(8).prefix(8)))
            return .client(.tcp(host: "\(client)", port: Self.port(places.dropFirst(32))))
        default: return .broken("has an unknown family, or addresses that are cut")
        }
    }

    private static func port(_ bytes: ArraySlice<UInt8>) -> UInt16 { UInt16(number(bytes.prefix(2))) }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
