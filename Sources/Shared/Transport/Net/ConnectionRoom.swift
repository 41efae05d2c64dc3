import TintypeCore

/// How many connections one listener keeps open at one time.
package struct ConnectionLimits: Sendable, Hashable {
    /// All together.
    package var total: Int
    /// From one IPv4 address, or from one IPv6 network of 64 bits: a host may have all addresses of that.
    package var perAddress: Int

    package init(total: Int, perAddress: Int) { (self.total, self.perAddress) = (total, perAddress) }

    /// Many more than one client opens by itself, and few enough for one client not to use up the descriptors, where there are many:
    /// `ConnectionPlan` cuts them to what there are.
    package static let usual = ConnectionLimits(total: 10_000, perAddress: 2_000)
}

/// Counts the connections of one listener, and has room for no more than its limits.
///
/// Connections of this machine count like others: a proxy beside the service is the usual client there, and its own limits are below these.
@Loop
package final class ConnectionRoom {
    /// Which limit is reached.
    package enum Limit: String, Sendable { case total, address }

    /// A refusal stands in the log no more often than this; the metric counts each.
    private static let silence = Duration.seconds(10)

    private let limits: ConnectionLimits
    private let onRefused: @Loop (Limit) -> Void
    private(set) var count = 0
    private var byAddress: [String: Int] = [:]
    private var saidAt: ContinuousClock.Instant?

    /// - Parameter onRefused: called for each connection that is one too many.
    package init(_ limits: ConnectionLimits = .usual, onRefused: @escaping @Loop (Limit) -> Void = { _ in }) {
        (self.limits, self.onRefused) = (limits, onRefused)
    }

    /// - Parameter host: the client's address as text; empty where it has none, as on a Unix socket: then only the total counts.
    /// - Returns: what is held as long as the connection is open; nil if there is no room.
    func admit(_ host: String) -> ConnectionPlace? {
        let address = Self.network(of: host)
        if count >= limits.total { return refuse(.total, host) }
        if !address.isEmpty, byAddress[address, default: 0] >= limits.perAddress { return refuse(.address, host) }
        count += 1
        if !address.isEmpty { byAddress[address, default: 0] += 1 }
        return ConnectionPlace(self, address)
    }

    private func refuse(_ limit: Limit, _ host: String) -> ConnectionPlace? {
        onRefused(limit)
        if saidAt.map({ ContinuousClock.now - $0 > Self.silence }) ?? true {
            saidAt = .now
            let most = limit == .total ? limits.total : limits.perAddress
            EventLog.warning("a connection is refused: too many are open", ["peer": host, "open": count, "limit": limit.rawValue, "most": most])
        }
        return nil
    }

    fileprivate func leave(_ address: String) {
        count -= 1
        guard let others = byAddress[address] else { return }
        byAddress[address] = others > 1 ? others - 1 : nil
    }

    /// What counts as one address.
    package nonisolated static func network(of host: String) -> String {
        // A zone names our interface, no other host.
        switch IPAddress(String(host.prefix { $0 != "%" })) {
        case .v6(high: 0, let low) where low >> 32 == 0xffff: "\(IPAddress.v4(UInt32(truncatingIfNeeded: low)))"
        case .v6(high: 0, _), .v4, nil: host
        case .v6(let high, _): "\(IPAddress.v6(high: high, low: 0))/64"
        }
    }
}

/// The place of one open connection, until it is released.
@Loop
final class ConnectionPlace {
    private let room: ConnectionRoom
    private let address: String

    fileprivate init(_ room: ConnectionRoom, _ address: String) { (self.room, self.address) = (room, address) }

    isolated deinit { room.leave(address) }
}
