import TintypeCore

/// The maximum number of connections that one listener keeps open at one time.
package struct ConnectionLimits: Sendable, Hashable {
    /// The limit for all addresses together.
    package var total: Int
    /// The limit for one IPv4 address, or one IPv6 network of 64 bits, since a host may have all addresses of such a network.
    package var perAddress: Int

    package init(total: Int, perAddress: Int) { (self.total, self.perAddress) = (total, perAddress) }

    /// Many more than one client opens by itself, and few enough that one client cannot use up the descriptors where there are many. `ConnectionPlan`
    /// reduces them to the available ones.
    package static let usual = ConnectionLimits(total: 10_000, perAddress: 2_000)
}

/// Counts the connections of one listener and enforces its limits.
///
/// Connections from this machine count like others: a proxy beside the service is the usual client there, and its own limits are lower.
@Loop
package final class ConnectionRoom {
    /// The limit that is reached.
    package enum Limit: String, Sendable { case total, address }

    /// The shortest interval between two log lines about refusals. The metric counts each refusal.
    private static let silence = Duration.seconds(10)

    private let limits: ConnectionLimits
    private let onRefused: @Loop (Limit) -> Void
    private(set) var count = 0
    private var byAddress: [String: Int] = [:]
    private var saidAt: ContinuousClock.Instant?

    /// - Parameter onRefused: called for each connection above a limit.
    package init(_ limits: ConnectionLimits = .usual, onRefused: @escaping @Loop (Limit) -> Void = { _ in }) {
        (self.limits, self.onRefused) = (limits, onRefused)
    }

    /// Admits a connection.
    /// - Parameter host: the client's address as text; empty if it has none, as on a Unix socket. Then only the total counts.
    /// - Returns: an object to keep as long as the connection is open; nil if there is no room.
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

    /// Returns the unit that counts as one address.
    package nonisolated static func network(of host: String) -> String {
        // A zone names our interface, not another host.
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
