/// A picture made by arithmetic: sky, sun, hills and a lake, as an uncompressed PNG. No file to license, the same bytes every time.
enum Picture {
    /// The PNG file of a picture of that size.
    static func png(width: Int, height: Int) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity((width * 3 + 1) * height)
        for y in 0..<height {
            rows.append(0)  // filter: none
            for x in 0..<width { append(color(Double(x) / Double(width), Double(y) / Double(height)), to: &rows) }
        }
        var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        file += chunk("IHDR", bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 2, 0, 0, 0])
        file += chunk("IDAT", stored(rows))
        file += chunk("IEND", [])
        return file
    }

    private static func append(_ color: (Double, Double, Double), to rows: inout [UInt8]) {
        rows.append(UInt8(max(0, min(255, color.0))))
        rows.append(UInt8(max(0, min(255, color.1))))
        rows.append(UInt8(max(0, min(255, color.2))))
    }

    private static func color(_ x: Double, _ y: Double) -> (Double, Double, Double) {
        let ridge = 0.55 + 0.06 * wave(x * 7) + 0.03 * wave(x * 19 + 1)
        let shore = 0.78 + 0.015 * wave(x * 5 + 2)
        if y > shore {  // the lake mirrors the sky, with ripples
            let ripple = 8 * wave(y * 140 + 3 * wave(x * 11))
            return (70 + 60 * (1 - y) + ripple, 110 + 70 * (1 - y) + ripple, 150 + 50 * (1 - y) + ripple)
        }
        if y > ridge {
            let depth = (y - ridge) / (shore - ridge)
            let grain = 10 * wave(x * 90 + y * 130)
            return (40 + 50 * depth + grain, 80 + 70 * depth + grain, 45 + 20 * depth)
        }
        let distance = (x - 0.7) * (x - 0.7) * 1.8 + (y - 0.3) * (y - 0.3)
        let sun = distance < 0.004 ? 1 : max(0, 0.5 - distance * 9)
        return (120 + 110 * y + 120 * sun, 160 + 60 * y + 90 * sun, 225 - 40 * y + 20 * sun)
    }

    /// A smooth wave of period 1 between −1 and 1 without the math library (a parabola for each half).
    private static func wave(_ t: Double) -> Double {
        let phase = (t - t.rounded(.down)) * 2 - 1
        return 4 * phase * (1 - abs(phase))
    }

    /// A zlib stream (RFC 1950) of stored blocks (RFC 1951 §3.2.4).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var position = 0
        repeat {
            let count = min(65535, bytes.count - position)
            let isLast = position + count == bytes.count
            stream += [isLast ? 1 : 0, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8 & 255)]
            stream += bytes[position..<position + count]
            position += count
        } while position < bytes.count
        return stream + bigEndian(adler32(bytes))
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (a, b): (UInt32, UInt32) = (1, 0)
        var position = 0
        while position < bytes.count {
            // 5552 is the most additions before the sums can overflow 32 bits.
            let end = min(position + 5552, bytes.count)
            for byte in bytes[position..<end] {
                a &+= UInt32(byte)
                b &+= a
            }
            a %= 65521
            b %= 65521
            position = end
        }
        return b << 16 | a
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let named = Array(type.utf8) + data
        return bigEndian(UInt32(data.count)) + named + bigEndian(crc32(named))
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1 }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var value = UInt32.max
        for byte in bytes { value = crcTable[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8 }
        return ~value
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
}
