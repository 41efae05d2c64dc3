/// The memory of a Redis in bytes, by its own report. Pure.
struct RedisMemory: Sendable, Hashable {
    /// The memory in use.
    let used: Int
    /// The memory that Redis may use: its `maxmemory`, or else three quarters of its machine's memory. Above that share, a Redis process can no
    /// longer rewrite its file.
    let most: Int

    /// Reads the answer of `INFO memory`; nil for any other text.
    init?(info: String) {
        var figures: [Substring: Int] = [:]
        for line in info.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { figures[parts[0]] = Int(parts[1]) }
        }
        guard let used = figures["used_memory"], let limit = figures["maxmemory"] else { return nil }
        self.used = used
        most = limit > 0 ? limit : figures["total_system_memory"].map { $0 / 4 * 3 } ?? .max
    }

    /// The part that new requests may fill. The remaining eighth is for running work: its events, ends and results.
    var budget: Int { most / 8 * 7 }
}
