/// Names for receipts whose clients gave none: 128 random bits each, since whoever knows a receipt's id may withdraw it.
enum ReceiptNames {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// 22 letters and digits. Redis keeps an id at three places of a receipt: hexadecimal digits would cost more memory.
    static func next() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(unsafeUninitializedCapacity: 22) { text in
            for half in [0, 11] {
                var word: UInt64 = generator.next()
                for index in half..<half + 11 {
                    text[index] = alphabet[Int(word % 62)]
                    word /= 62
                }
            }
            return 22
        }
    }

    /// The receipt of an item of a group: whoever drives the group on finds it by that.
    static func item(_ index: Int, of group: String) -> String { "\(group).\(index)" }
}
