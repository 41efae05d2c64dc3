import TintypeCore

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

    /// Returns the map by the answers of the latest epoch, of servers that serve if there are any. A move of a slot may leave the epoch as it is, so these
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

/// A refusal by which a server of a Redis Cluster names another one, or asks to wait. It has done nothing.
package struct ClusterRedirect: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        /// The other server has the slot.
        case moved
        /// The slot is on its way to the other server, and this key is not here.
        case ask
        /// The slot is on its way, and only some of the keys are here.
        case tryAgain
    }

    package let kind: Kind
    /// The slot; nil for `tryAgain`.
    package let slot: Int?
    /// The host of the other server; empty: that of the server that answered.
    private let host: String
    private let port: Int64

    /// Reads `MOVED slot host:port`, `ASK slot host:port` or `TRYAGAIN …`; nil for another text.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        if words.first == "TRYAGAIN" {
            (kind, slot, host, port) = (.tryAgain, nil, "", 0)
            return
        }
        guard words.count == 3, words[0] == "MOVED" || words[0] == "ASK", let slot = Int(words[1]), (0..<HashSlot.count).contains(slot),
            let colon = words[2].lastIndex(of: ":"), let port = Int64(words[2][words[2].index(after: colon)...])
        else { return nil }
        (kind, self.slot, host, self.port) = (words[0] == "MOVED" ? .moved : .ask, slot, String(words[2][..<colon]), port)
    }

    /// Returns the other server; nil if the answer has no usable address.
    /// - Parameter asked: the server that answered.
    package func address(from asked: SocketAddress) -> SocketAddress? { SlotMap.address(host, port: port, from: asked) }
}

/// The servers that refusals have named for slots in the last seconds. A pure value.
///
/// The server that refuses knows of a move before most others do. So for a while, its word counts more than their maps.
package struct MovedSlots: Sendable {
    /// How long a refusal counts. Servers of a cluster learn of a move from each other within a second or two.
    package static let time = Duration.seconds(3)

    private var owners: [Int: (server: SocketAddress, until: ContinuousClock.Instant)] = [:]

    package init() {}

    /// Notes that a server has a slot, as a refusal has said.
    package mutating func note(_ slot: Int, at server: SocketAddress, now: ContinuousClock.Instant) {
        if (0..<HashSlot.count).contains(slot) { owners[slot] = (server, now + Self.time) }
    }

    /// Forgets the refusals that named a server that has failed: its slots may have a new primary.
    package mutating func forget(_ server: SocketAddress) { owners = owners.filter { $0.value.server != server } }

    /// Returns a map with the slots whose refusals still count, and forgets the others.
    package mutating func applied(to map: SlotMap, now: ContinuousClock.Instant) -> SlotMap {
        if owners.isEmpty { return map }
        owners = owners.filter { $0.value.until > now }
        return map.moving(owners.mapValues(\.server))
    }
}

/// A part of a Redis Cluster as a Redis of its own.
@Loop
final class ClusterPart: RedisTopology {
    enum Place {
        /// The server that has a slot, for connections that wait or listen.
        case slot(Int)
        /// A server, for commands. Its `RedisNodes` drops it when it has no slot any more.
        case server(SocketAddress)
    }

    private let cluster: ClusterTopology
    private let place: Place
    nonisolated let redacted: String
    nonisolated let timeout: Duration

    init(_ cluster: ClusterTopology, _ place: Place) {
        (self.cluster, self.place, timeout) = (cluster, place, cluster.timeout)
        redacted = if case .server(let address) = place { "\(address) of \(cluster.redacted)" } else { cluster.redacted }
    }

    var primaryStatus: PrimaryStatus { cluster.primaryStatus }

    func open(name: String) async throws(RedisError) -> RedisConnection {
        switch place {
        case .slot(let slot): try await cluster.open(slot: slot, name: name)
        case .server(let address): try await cluster.open(at: address, name: name)
        }
    }

    /// A server alone does not keep the cluster up to date: its `RedisNodes` does.
    func begin() { if case .slot = place { cluster.begin() } }
    func end() { if case .slot = place { cluster.end() } }
    func follow(_ redirect: ClusterRedirect, from asked: SocketAddress) -> Bool { cluster.follow(redirect, from: asked) }

    func doubt(_ server: SocketAddress) {
        // A connection that was closed because its slot has moved is no sign of a fault of its server.
        if case .slot(let slot) = place, cluster.map.primary(of: slot) != server { return }
        cluster.doubt(server)
    }
}
