/// The answer of one sentinel about a Redis: where its primary is, since which switch.
///
/// The reply to `SENTINEL MASTER`, and not to `get-master-addr-by-name`: it has the number of the switch too. After a switch some sentinels name the old
/// primary for a moment, and that one still calls itself a primary. So neither a vote nor `ROLE` would tell.
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
