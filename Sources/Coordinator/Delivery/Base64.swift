/// Base64 with the standard alphabet and padding (RFC 4648 §4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(of bytes: [UInt8]) -> String {
        let length = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: length) { target in
            var position = 0
            var index = 0
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
            return length
        }
    }
}
