import TintypeQueue

/// Ids for receipts whose clients chose none. Each has 128 random bits, because a client that knows a receipt's id may cancel it.
package enum ReceiptNames {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// Returns 22 letters and digits. Redis stores an id at three places of a receipt, so hexadecimal digits would cost more memory.
    package static func next() -> String {
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

    /// Returns an id for a receipt of a queue. That of a shard says where the receipt is.
    package static func next(in shard: String) -> String {
        guard ShardNames.isShard(shard) else { return next() }
        return next() + "." + code(of: shard)
    }

    /// Returns the names in the order in which to look for a receipt: first the shards that its id names. A client may have chosen any id, so all follow.
    static func order(_ names: [String], for receipt: String) -> [String] {
        guard receipt.utf8.count == 26, let dot = receipt.lastIndex(of: ".") else { return names }
        let named = receipt[receipt.index(after: dot)...]
        let first = names.filter { ShardNames.isShard($0) && code(of: $0) == named }
        return first.isEmpty ? names : first + names.filter { !first.contains($0) }
    }

    /// Returns the slot of a shard as three letters and digits. The shards of a queue have different slots.
    private static func code(of shard: String) -> String {
        let slot = ShardNames.slot(of: shard)
        return String(decoding: [alphabet[slot / 3844], alphabet[slot / 62 % 62], alphabet[slot % 62]], as: UTF8.self)
    }

    /// Returns the receipt id of a group's item. A coordinator that takes over the group finds the receipt by this id.
    package static func item(_ index: Int, of group: String) -> String { "\(group).\(index)" }
}
