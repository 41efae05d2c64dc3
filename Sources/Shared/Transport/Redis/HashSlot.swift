import TintypeCore

/// The slot of a key in a Redis Cluster: the CRC16 (XMODEM) of the text in its first braces. Without braces, the whole key counts.
///
/// Source: Redis Cluster specification, "Key distribution model" and "Hash tags".
package enum HashSlot {
    /// The number of slots. They begin at 0.
    package static let count = 16_384

    private static let table: [UInt16] = (0..<256).map { byte in
        (0..<8).reduce(UInt16(byte) << 8) { sum, _ in sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1 }
    }

    /// Returns the slot of a key or sharded channel.
    package static func slot(of key: some StringProtocol) -> Int {
        let bytes = Array(key.utf8)
        var part = bytes[...]
        if let open = bytes.firstIndex(of: UInt8(ascii: "{")) {
            let rest = bytes[(open + 1)...]
            // Empty braces count as none.
            if let close = rest.firstIndex(of: UInt8(ascii: "}")), close > rest.startIndex { part = rest[..<close] }
        }
        return Int(part.reduce(UInt16(0)) { sum, byte in sum << 8 ^ table[Int(UInt8(truncatingIfNeeded: sum >> 8) ^ byte)] }) % count
    }
}

extension RedisTag {
    /// The slot of all keys with this tag.
    package var slot: Int { HashSlot.slot(of: prefix) }
}
