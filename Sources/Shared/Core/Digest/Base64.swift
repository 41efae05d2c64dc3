/// Base64 with the standard alphabet and padding (RFC 4648 §4).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func text(of bytes: [UInt8]) -> String {
        let length = length(of: bytes.count)
        return String(unsafeUninitializedCapacity: length) { target in
            encode(bytes, into: target)
            return length
        }
    }

    /// Returns the text as a JSON string. A long one is written into an answer without another look at its characters.
    package static func json(of bytes: [UInt8]) -> JSON {
        let length = length(of: bytes.count)
        let quoted = [UInt8](unsafeUninitializedCapacity: length + 2) { target, count in
            encode(bytes, into: UnsafeMutableBufferPointer(rebasing: target[1...length + 1]))
            (target[0], target[length + 1], count) = (UInt8(ascii: "\""), UInt8(ascii: "\""), length + 2)
        }
        return .raw(JSONText(checked: quoted))
    }

    /// Returns the length of the text for so many bytes.
    package static func length(of count: Int) -> Int { (count + 2) / 3 * 4 }

    private static func encode(_ bytes: [UInt8], into target: UnsafeMutableBufferPointer<UInt8>) {
        bytes.withUnsafeBufferPointer { bytes in
            alphabet.withUnsafeBufferPointer { alphabet in
                var (index, position) = (0, 0)
                while index < bytes.count {
                    let left = bytes.count - index
                    let second = left > 1 ? bytes[index + 1] : 0
                    let third = left > 2 ? bytes[index + 2] : 0
                    target[position] = alphabet[Int(bytes[index] >> 2)]
                    target[position + 1] = alphabet[Int((bytes[index] & 3) << 4 | second >> 4)]
                    target[position + 2] = left > 1 ? alphabet[Int((second & 15) << 2 | third >> 6)] : UInt8(ascii: "=")
                    target[position + 3] = left > 2 ? alphabet[Int(third & 63)] : UInt8(ascii: "=")
                    position += 4
                    index += 3
                }
            }
        }
    }

    /// Standard and URL-safe alphabet, white space skipped, padding optional; nil for anything else.
    package static func bytes(of text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        var padding = 0
        for byte in text {
            let value: UInt8
            switch byte {
            case 0x41...0x5a: value = byte - 0x41
            case 0x61...0x7a: value = byte - 0x61 + 26
            case 0x30...0x39: value = byte - 0x30 + 52
            case 0x2b, 0x2d: value = 62
            case 0x2f, 0x5f: value = 63
            case 0x3d:
                padding += 1
                continue
            case 0x20, 0x09, 0x0a, 0x0d: continue
            default: return nil
            }
            guard padding == 0 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 1
            if count % 4 == 0 {
                bytes += [UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8), UInt8(truncatingIfNeeded: bits)]
            }
        }
        switch (count % 4, padding) {
        case (0, 0): break
        case (2, 0), (2, 2): bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
        case (3, 0), (3, 1): bytes += [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
        default: return nil
        }
        return bytes
    }
}
