/// Bytes as text, by the alphabets of RFC 4648.
enum Base64 {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlLetters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// The value of each letter of both alphabets; 255 for other bytes.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for alphabet in [letters, urlLetters] {
            for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        }
        return values
    }()

    /// The text of the bytes.
    /// - Parameter forURLs: uses the alphabet of URLs, without padding.
    static func encode(_ bytes: some Collection<UInt8>, forURLs: Bool = false) -> String {
        let letters = forURLs ? urlLetters : letters
        let padded = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: padded) { text in
            var place = 0
            func write(_ group: UInt32, _ count: Int) {
                for index in 0..<count {
                    text[place] = letters[Int(group >> (18 - 6 * UInt32(index)) & 63)]
                    place += 1
                }
            }
            var (group, count): (UInt32, Int) = (0, 0)
            for byte in bytes {
                (group, count) = (group << 8 | UInt32(byte), count + 1)
                if count == 3 {
                    write(group, 4)
                    (group, count) = (0, 0)
                }
            }
            if count > 0 {
                write(group << (8 * UInt32(3 - count)), count + 1)
                while !forURLs, place < padded {
                    text[place] = UInt8(ascii: "=")
                    place += 1
                }
            }
            return place
        }
    }

    /// The bytes of a text in either alphabet, with or without padding; nil if the text is none.
    static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { utf8 in
            var end = utf8.count
            while end > 0, utf8.count - end < 2, utf8[end - 1] == UInt8(ascii: "=") { end -= 1 }
            guard end % 4 != 1, end == utf8.count || utf8.count % 4 == 0 else { return nil }
            var isText = true
            let bytes = [UInt8](unsafeUninitializedCapacity: end / 4 * 3 + max(0, end % 4 - 1)) { bytes, count in
                values.withUnsafeBufferPointer { values in
                    var (group, bits): (UInt32, UInt32) = (0, 0)
                    for index in 0..<end {
                        let value = values[Int(utf8[index])]
                        guard value < 64 else { return isText = false }
                        (group, bits) = (group << 6 | UInt32(value), bits + 6)
                        if bits >= 8 {
                            bits -= 8
                            bytes[count] = UInt8(truncatingIfNeeded: group >> bits)
                            count += 1
                        }
                    }
                }
            }
            return isText ? bytes : nil
        }
    }
}
