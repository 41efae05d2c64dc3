import TestSupport
import Testing

@testable import TintypeTransport

/// The header of the PROXY protocol: whole, cut, broken, and the bytes behind it.
@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct ProxyHeaderTests {
    private static let start: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]

    /// A header of version 2.
    static func binary(_ command: UInt8, _ family: UInt8, _ rest: [UInt8], length: Int? = nil) -> [UInt8] {
        let count = length ?? rest.count
        return start + [command, family, UInt8(count >> 8), UInt8(count & 0xff)] + rest
    }

    static let four: [UInt8] = [192, 0, 2, 1, 10, 0, 0, 1, 0xdc, 0x04, 0x01, 0xbb]
    private static let six: [UInt8] = [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 9, count: 16) + [0, 80, 0, 81]
    private static let addition: [UInt8] = [0x02, 0, 3, 0x61, 0x62, 0x63]

    static let sound: [(bytes: [UInt8], client: String?)] = [
        (Array("PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n".utf8), "192.0.2.1:56324"),
        (Array("PROXY TCP6 2001:db8::7 2001:db8::1 65535 1\r\n".utf8), "[2001:db8::7]:65535"),
        (Array("PROXY UNKNOWN\r\n".utf8), nil), (Array("PROXY UNKNOWN ffff::1 ::1 65535 65535\r\n".utf8), nil),
        (binary(0x21, 0x11, four), "192.0.2.1:56324"), (binary(0x21, 0x11, four + addition), "192.0.2.1:56324"),
        (binary(0x21, 0x21, six), "[2001:db8::7]:80"), (binary(0x21, 0x21, six + addition), "[2001:db8::7]:80"),
        (binary(0x20, 0x00, []), nil), (binary(0x20, 0x11, four), nil), (binary(0x21, 0x00, addition), nil),
        (binary(0x21, 0x31, [UInt8](repeating: 0x2f, count: 216)), nil),
        (binary(0x21, 0x11, four + [UInt8](repeating: 0, count: ProxyHeader.most - 28)), "192.0.2.1:56324"),
    ]

    static let broken: [[UInt8]] =
        [
            "GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}", "\r\n\r\nx", "{\"jsonrpc\":", "PROXY\tTCP4 192.0.2.1 198.51.100.1 1 2\r\n", "PROXX ",
            "PROXY TCP4 192.0.2.1 198.51.100.1 56324\r\n", "PROXY TCP4 192.0.2.1 198.51.100.1 56324 65536\r\n", "PROXY TCP4 192.0.2.1 198.51.100.1 1 2 3\r\n",
            "PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n", "PROXY TCP6 192.0.2.1 198.51.100.1 1 2\r\n", "PROXY TCP4 192.0.2.1 2001:db8::1 1 2\r\n",
            "PROXY TCP4  192.0.2.1 198.51.100.1 1 2\r\n", "PROXY TCP4 192.0.2.256 198.51.100.1 1 2\r\n", "PROXY TCP4 192.0.2.1 198.51.100.1 -1 2\r\n",
            "PROXY UDP4 192.0.2.1 198.51.100.1 1 2\r\n", "PROXY TCP4 192.0.2.1 198.51.100.1 1 2\n", "PROXY \r\n",
            "PROXY UNKNOWN " + String(repeating: "x", count: 107),
        ].map { Array($0.utf8) } + [
            binary(0x11, 0x11, four), binary(0x22, 0x11, four), binary(0x21, 0x12, four), binary(0x21, 0x11, Array(four.dropLast())),
            binary(0x21, 0x21, four), binary(0x21, 0x11, [], length: ProxyHeader.most), binary(0x21, 0x11, [], length: 65535),
        ]

    /// Reads bytes in pieces.
    /// - Returns: The outcome, and how many bytes belong to the header.
    static func read(_ bytes: [UInt8], by size: Int) -> (reading: ProxyHeader.Reading, taken: Int) {
        var (header, taken) = (ProxyHeader(), 0)
        while taken < bytes.count, header.reading == .more { taken += header.take(bytes[taken..<min(taken + size, bytes.count)]) }
        return (header.reading, taken)
    }

    @Test(arguments: sound) func `a header names the client, however it is cut, and takes no byte behind it`(bytes: [UInt8], client: String?) {
        for size in [1, 5, 16, bytes.count, bytes.count + 9] {
            let (reading, taken) = Self.read(bytes + Array("\r\nGET / ".utf8), by: size)
            #expect(taken == bytes.count, "by \(size)")
            guard case .client(let found) = reading else {
                Issue.record("\(reading)")
                continue
            }
            #expect(found.map { "\($0)" } == client, "by \(size)")
        }
        #expect(Self.read(Array(bytes.dropLast()), by: 3).reading == .more)
    }

    @Test(arguments: broken) func `anything else is broken, and is not read on`(bytes: [UInt8]) {
        for size in [1, 4096] {
            let (reading, taken) = Self.read(bytes + [UInt8](repeating: 0x78, count: 70_000), by: size)
            guard case .broken = reading else {
                Issue.record("\(reading)")
                continue
            }
            #expect(taken <= max(bytes.count, ProxyHeader.mostOfText))
        }
    }
}
