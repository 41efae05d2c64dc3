/// The answer of one sentinel about a Redis: where its primary is, since which switch.
///
/// The reply to `SENTINEL MASTER`, and not to `get-master-addr-by-name`: it has the number of the switch too. After a switch some sentinels name the old
/// primary for a moment, and that one still calls itself a primary. So neither a vote nor `ROLE` would show the right one.
package struct SentinelAnswer: Sendable, Hashable {
    package let primary: SocketAddress
    /// Sentinels count their switches. A higher number is later.
    package let epoch: Int64

    package init(_ primary: SocketAddress, epoch: Int64) { (self.primary, self.epoch) = (primary, epoch) }

    /// Reads the reply to `SENTINEL MASTER name`; nil for any other reply.
    package init?(_ reply: RedisReply) {
        let fields = reply.pairs
        guard let primary = Self.address(fields["ip"], fields["port"]) else { return nil }
        self.init(primary, epoch: fields["config-epoch"].flatMap { Int64($0) } ?? 0)
    }

    /// Returns the address of a host and a port as sentinels write them.
    static func address(_ host: String?, _ port: String?) -> SocketAddress? {
        guard let host, !host.isEmpty, let port = port.flatMap({ UInt16($0) }), port > 0 else { return nil }
        return .tcp(host: host, port: port)
    }

    /// Returns the primary among several answers: that of the latest switch. The answers of one switch may differ, as names and
    /// addresses of one host do. Then the present primary stays, else the one that most sentinels name counts.
    /// - Parameter present: the primary in use; nil if there is none.
    package static func primary(among answers: [SentinelAnswer], present: SocketAddress?) -> SocketAddress? {
        guard let latest = answers.map(\.epoch).max() else { return nil }
        let named = answers.filter { $0.epoch == latest }.map(\.primary)
        if let present, named.contains(present) { return present }
        return named.max { a, b in named.count { $0 == a } < named.count { $0 == b } }
    }
}

/// A sentinel as another one lists it.
package struct SentinelPeer: Sendable, Hashable {
    package let address: SocketAddress
    /// The number that a sentinel keeps for ever, whatever its address.
    package let identifier: String

    package init(_ address: SocketAddress, identifier: String) { (self.address, self.identifier) = (address, identifier) }

    /// Reads the reply to `SENTINEL SENTINELS name`. Entries that are none are left out.
    package static func list(_ reply: RedisReply) -> [SentinelPeer] {
        (reply.array ?? []).compactMap { entry in
            let fields = entry.pairs
            guard let address = SentinelAnswer.address(fields["ip"], fields["port"]), let identifier = fields["runid"], !identifier.isEmpty else { return nil }
            return SentinelPeer(address, identifier: identifier)
        }
    }

    /// Returns the sentinels to be connected to: those of the URL, and those that they list.
    /// - Parameters:
    ///   - named: the sentinels of the URL, with their identifiers as far as these are known.
    ///   - lists: the last list of each sentinel.
    package static func known(named: [(address: SocketAddress, identifier: String?)], lists: [[SentinelPeer]]) -> [SocketAddress] {
        var known = named.map(\.address)
        // The URL may name by its host what a sentinel lists by its address.
        var identifiers = Set(named.compactMap(\.identifier))
        for peer in lists.joined() where known.count < most && !known.contains(peer.address) && identifiers.insert(peer.identifier).inserted {
            known.append(peer.address)
        }
        return known
    }

    /// The most sentinels to be connected to. A Redis has three or five.
    private static let most = 16
}

/// A message on the channel `+switch-master` of a sentinel: another server is the primary of a Redis.
package struct SwitchMessage: Sendable, Hashable {
    /// The channel of these messages.
    package static let channel = "+switch-master"

    /// The reaction to a message.
    package enum Step: Sendable, Hashable {
        /// The message concerns another Redis, or is no news.
        case nothing
        /// Ask the sentinels: they know of something that this process has not followed.
        case ask
        /// Close every connection to the old primary now, and ask.
        case leave
    }

    package let name: String
    package let old: SocketAddress
    package let new: SocketAddress

    /// Reads `name old-host old-port new-host new-port`; nil for another text.
    package init?(_ payload: [UInt8]) {
        let words = String(decoding: payload, as: UTF8.self).split(separator: " ").map(String.init)
        guard words.count == 5, let old = SentinelAnswer.address(words[1], words[2]), let new = SentinelAnswer.address(words[3], words[4]) else { return nil }
        (name, self.old, self.new) = (words[0], old, new)
    }

    /// Returns the reaction to the message.
    ///
    /// Sentinels that come back may announce old switches once more. Leaving costs a new connection then, and the answers of all sentinels, and the
    /// server's own, decide where to.
    /// - Parameters:
    ///   - name: the name of the Redis in use.
    ///   - primary: its present primary; nil if none is known.
    package func step(for name: String, primary: SocketAddress?) -> Step {
        guard self.name == name, primary != new else { return .nothing }
        return primary == old ? .leave : .ask
    }
}

/// The latest switch that any sentinel has reported. Pure: the caller supplies the time.
///
/// The sentinels that know of a switch may be silent for a moment, while one that does not know of it answers. Its primary is the old one, which still
/// calls itself a primary. So an older answer does not count. Sentinels that were set up anew begin with zero, so that holds for a minute only.
package struct LatestSwitch: Sendable, Hashable {
    /// How long a switch is remembered that no sentinel reports any more.
    package static let memory = Duration.seconds(60)

    private var epoch: Int64?
    private var heard: ContinuousClock.Instant?

    package init() {}

    /// Returns the answers that count: all of them, or none if they are all older than the latest switch.
    package mutating func counting(_ answers: [SentinelAnswer], at now: ContinuousClock.Instant) -> [SentinelAnswer] {
        guard let latest = answers.map(\.epoch).max() else { return [] }
        if let epoch, let heard, latest < epoch, now < heard + Self.memory { return [] }
        (epoch, heard) = (latest, now)
        return answers
    }
}
