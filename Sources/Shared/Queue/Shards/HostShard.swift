/// The shard of a host. A host's fetches are in one shard, so that its limits hold exactly.
enum HostShard {
    /// Returns the shard of a text, 0 up to below `count`. One shard more moves only its own part of the texts.
    static func index(of text: String, count: Int) -> Int { jump(hash(text), count) }

    /// FNV-1a, 64 bits. Source: Fowler, Noll and Vo, RFC 9923.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// Source: Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014.
    private static func jump(_ key: UInt64, _ count: Int) -> Int {
        var (key, bucket, next) = (key, 0.0, 0.0)
        while next < Double(count) {
            bucket = next
            key = key &* 2_862_933_555_777_941_757 &+ 1
            next = ((bucket + 1) * (Double(UInt64(1) << 31) / Double((key >> 33) + 1))).rounded(.down)
        }
        return Int(bucket)
    }
}
