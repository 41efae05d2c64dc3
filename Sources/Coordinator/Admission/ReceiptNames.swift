import Shared

/// Names for receipts whose clients gave none: 128 random bits each, since whoever knows a receipt's id may withdraw it.
enum ReceiptNames {
    static func next() -> String {
        var generator = SystemRandomNumberGenerator()
        let words = (generator.next() as UInt64, generator.next() as UInt64)
        return withUnsafeBytes(of: words) { Digest.hex($0) }
    }

    /// The receipt of an item of a group: whoever drives the group on finds it by that.
    static func item(_ index: Int, of group: String) -> String { "\(group).\(index)" }
}
