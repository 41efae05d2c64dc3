/// Ids for receipts.
enum ReceiptID {
    /// Returns an id that nobody can guess: 128 bits of the system's generator.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return [generator.next(), generator.next()].map { (bits: UInt64) in
            let digits = String(bits, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
