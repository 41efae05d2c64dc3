/// The knowledge of one server of a Redis Cluster about all of them. A pure value.
package struct ClusterAnswer: Sendable, Hashable {
    package let map: SlotMap
    /// Each promotion raises it, and most moves of a slot do. A server that is cut off from the others has a lower one.
    package let epoch: Int64
    /// Whether this server serves commands (`cluster_state:ok`).
    package let isServing: Bool

    package init(_ map: SlotMap, epoch: Int64, isServing: Bool) { (self.map, self.epoch, self.isServing) = (map, epoch, isServing) }

    /// Reads the replies to `CLUSTER INFO` and `CLUSTER SLOTS`; nil for other replies.
    package init?(info: RedisReply, slots: RedisReply, from asked: SocketAddress) {
        guard let text = info.string, let map = SlotMap(slots, from: asked) else { return nil }
        var fields: [Substring: Substring] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(separator: ":", maxSplits: 1)
            if words.count == 2 { fields[words[0]] = words[1] }
        }
        guard let state = fields["cluster_state"] else { return nil }
        self.init(map, epoch: fields["cluster_current_epoch"].flatMap { Int64($0) } ?? 0, isServing: state == "ok")
    }

    /// Returns what the answers of the latest epoch say, of servers that serve if there are any. A move of a slot may leave the epoch as it is, so these
    /// answers may contradict each other: then the most count (`SlotMap.majority`).
    /// - Parameter known: the map before.
    package static func agreed(among answers: [ClusterAnswer], known: SlotMap) -> ClusterAnswer? {
        guard let epoch = answers.map(\.epoch).max() else { return nil }
        let latest = answers.filter { $0.epoch == epoch }
        let serving = latest.filter(\.isServing)
        let map = SlotMap.majority(of: (serving.isEmpty ? latest : serving).map(\.map), known: known)
        return ClusterAnswer(map, epoch: epoch, isServing: !serving.isEmpty)
    }
}
