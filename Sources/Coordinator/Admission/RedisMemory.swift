/// What a Redis says of its memory, in bytes. Pure.
struct RedisMemory: Sendable, Hashable {
    /// What it holds.
    let used: Int
    /// What it may hold: its `maxmemory`, or without one three quarters of its machine's memory. A process that has more of it
    /// than that cannot write its file anew any more.
    let most: Int

    /// Reads the answer of `INFO memory`; nil for what is none.
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

    /// What of it new requests may fill. The rest is for what runs: its events, ends and results.
    var budget: Int { most / 8 * 7 }
}
