/// A PNG of one colour, made without an encoder. Pure.
///
/// One palette entry and one bit a pixel: all its rows are zeros, which deflate's fixed code writes as one zero and repetitions of it, 13 bits
/// for each 258 of them.
package enum PlainPicture {
    package static func png(_ color: Color, width: Int, height: Int) -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        file += chunk("IHDR", bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [1, 3, 0, 0, 0])
        file += chunk("PLTE", [color.red, color.green, color.blue])
        if color.alpha < 255 { file += chunk("tRNS", [color.alpha]) }
        file += chunk("IDAT", zeros((1 + (width + 7) / 8) * height))
        return file + chunk("IEND", [])
    }

    /// So many zero bytes as a zlib stream (RFC 1950, RFC 1951 §3.2.6).
    private static func zeros(_ count: Int) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var (held, bits) = (UInt32(0), 0)
        func put(_ value: UInt32, _ length: Int) {
            held |= value << UInt32(bits)
            bits += length
            while bits >= 8 {
                stream.append(UInt8(truncatingIfNeeded: held))
                held >>= 8
                bits -= 8
            }
        }
        let zero = UInt32(0b0000_1100)  // the code of literal 0, 00110000, from its first bit on
        put(0b011, 3)  // the last block, fixed codes
        put(zero, 8)
        // Length 258 is code 285, 11000101; distance 1 is code 0, five bits.
        for _ in 0..<((count - 1) / 258) { put(0b1010_0011, 13) }
        for _ in 0..<((count - 1) % 258) { put(zero, 8) }
        put(0, 7)  // the end of the block
        if bits > 0 { put(0, 8 - bits) }
        return stream + bigEndian(UInt32(count % 65521) << 16 | 1)  // Adler-32 of zeros
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let named = Array(type.utf8) + data
        return bigEndian(UInt32(data.count)) + named + bigEndian(crc32(named))
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var value = UInt32.max
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1 }
        }
        return ~value
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
}
