import TintypeTransport

/// Receipts by their ids, in 256 dictionaries, so that none of them is large.
///
/// A single dictionary of half a million entries stops the loop for a tenth of a second when it grows. Here only one small dictionary grows at a time.
@Loop
struct ReceiptBuckets {
    private var shards = [[String: PendingReceipt]](repeating: [:], count: 256)
    private(set) var count = 0

    nonisolated init() {}

    subscript(id: String) -> PendingReceipt? {
        get { shards[Self.index(id)][id] }
        set {
            let old = shards[Self.index(id)].updateValueOrRemove(newValue, for: id)
            count += (newValue == nil ? 0 : 1) - (old == nil ? 0 : 1)
        }
    }

    var indices: Range<Int> { shards.indices }

    func receipts(in shard: Int) -> some Collection<PendingReceipt> { shards[shard].values }

    /// All receipts, for the few callers that may stop the loop.
    var all: [PendingReceipt] { shards.flatMap(\.values) }

    private static func index(_ id: String) -> Int {
        // FNV-1a: clients choose ids, but a crowded shard costs only the time of its own growth.
        var hash: UInt32 = 2_166_136_261
        for byte in id.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int((hash ^ hash >> 16) & 255)
    }
}

extension Dictionary {
    /// Sets a value, or removes it with nil.
    /// - Returns: The value before.
    fileprivate mutating func updateValueOrRemove(_ value: Value?, for key: Key) -> Value? {
        if let value { updateValue(value, forKey: key) } else { removeValue(forKey: key) }
    }
}
