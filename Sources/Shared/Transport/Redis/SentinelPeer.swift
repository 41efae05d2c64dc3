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

    /// Returns the sentinels to be connected to: those of the URL, and those of which the former tell.
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
