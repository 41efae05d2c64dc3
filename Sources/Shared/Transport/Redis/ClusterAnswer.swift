/// The knowledge of one server of a Redis Cluster about all of them. A pure value.
package struct ClusterAnswer: Sendable, Hashable {
    package let map: SlotMap
    /// Each promotion and each move of a slot raises it. A server that is cut off from the others has a lower one.
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

    /// Returns the answer to believe: of the latest epoch, and there that of a server that serves, with most slots. Equal answers: the first.
    package static func best(among answers: [ClusterAnswer]) -> ClusterAnswer? {
        func rank(_ answer: ClusterAnswer) -> (Int64, Int, Int) { (answer.epoch, answer.isServing ? 1 : 0, answer.map.covered) }
        return answers.reduce(nil) { best, answer in best.map { rank($0) >= rank(answer) } ?? false ? best : answer }
    }
}
