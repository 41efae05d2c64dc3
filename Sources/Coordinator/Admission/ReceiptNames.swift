/// Ids for receipts whose clients chose none. Each has 128 random bits, because a client that knows a receipt's id may cancel it.
enum ReceiptNames {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// Returns 22 letters and digits. Redis stores an id at three places of a receipt, so hexadecimal digits would cost more memory.
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

    /// Returns the receipt id of a group's item. A coordinator that takes over the group finds the receipt by this id.
    static func item(_ index: Int, of group: String) -> String { "\(group).\(index)" }
}
