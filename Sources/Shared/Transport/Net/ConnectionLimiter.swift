/// The maximum number of connections that one listener keeps open at one time.
package struct ConnectionLimits: Sendable, Hashable {
    /// The limit for all addresses together.
    package var total: Int
    /// The limit for one address (`ConnectionPeer.network`).
    package var perAddress: Int

    /// Many more than one client opens by itself, and few enough that one client cannot use up the descriptors where there are many. `ConnectionPlan`
    /// reduces them to the available ones.
    package static let usual = ConnectionLimits(total: 10_000, perAddress: 2_000)
    static let none = ConnectionLimits(total: .max, perAddress: .max)
}

/// Counts the connections of one listener and enforces its limits.
///
/// Connections from this machine count like others: a proxy beside the service is the usual client there, and its own limits are lower.
@Loop
package final class ConnectionLimiter {
    /// The reason of a refusal.
    package enum Limit: String, Sendable {
        case total, address
        /// A trusted proxy has sent no sound header of the PROXY protocol.
        case header
    }

    /// The shortest interval between two log lines about refusals. The metric counts each refusal.
    private static let silence = Duration.seconds(10)

    private let limits: ConnectionLimits
    private let onRefused: @Loop (Limit) -> Void
    private(set) var count = 0
    private var byAddress: [String: Int] = [:]
    private var saidAt: ContinuousClock.Instant?

    /// - Parameter onRefused: called for each connection that is refused.
    package init(_ limits: ConnectionLimits = .usual, onRefused: @escaping @Loop (Limit) -> Void = { _ in }) {
        (self.limits, self.onRefused) = (limits, onRefused)
    }

    /// Admits a connection.
    /// - Parameters:
    ///   - peer: the client. Without an address, as on a Unix socket, only the total counts.
    ///   - isProxy: whether it is a trusted proxy. It has the connections of many clients, so only the total counts.
    /// - Returns: an object to keep as long as the connection is open; nil if there is no room.
    func admit(_ peer: ConnectionPeer, isProxy: Bool = false) -> ConnectionPermit? {
        guard count < limits.total else {
            refuse(.total, peer, most: limits.total)
            return nil
        }
        count += 1
        let permit = ConnectionPermit(self)
        return isProxy || permit.pass(to: peer) ? permit : nil
    }

    fileprivate func enter(_ peer: ConnectionPeer) -> Bool {
        guard let address = peer.network else { return true }
        guard byAddress[address, default: 0] < limits.perAddress else {
            refuse(.address, peer, most: limits.perAddress)
            return false
        }
        byAddress[address, default: 0] += 1
        return true
    }

    private func refuse(_ limit: Limit, _ peer: ConnectionPeer, most: Int) {
        onRefused(limit)
        guard isTimeToSay else { return }
        EventLog.warning("a connection is refused: too many are open", ["peer": peer.address, "open": count, "limit": limit.rawValue, "most": most])
    }

    /// Counts a connection of a trusted proxy that has not begun as it has to.
    func refuse(_ proxy: ConnectionPeer, because flaw: String) {
        onRefused(.header)
        guard isTimeToSay else { return }
        EventLog.warning(
            "a connection of a trusted proxy is refused: its PROXY header \(flaw). Have the proxy send one, or leave the port out of --proxy-protocol",
            ["peer": proxy.address])
    }

    private var isTimeToSay: Bool {
        let now = ContinuousClock.now
        guard saidAt.map({ now - $0 > Self.silence }) ?? true else { return false }
        saidAt = now
        return true
    }

    fileprivate func leave(_ address: String?) {
        count -= 1
        guard let address, let others = byAddress[address] else { return }
        byAddress[address] = others > 1 ? others - 1 : nil
    }
}

/// The place of one open connection, until it is released.
@Loop
final class ConnectionPermit {
    private let limiter: ConnectionLimiter
    private var address: String?

    fileprivate init(_ limiter: ConnectionLimiter) { self.limiter = limiter }

    /// Counts the connection as one of this client.
    /// - Returns: false if the client has too many.
    func pass(to client: ConnectionPeer) -> Bool {
        guard limiter.enter(client) else { return false }
        address = client.network
        return true
    }

    isolated deinit { limiter.leave(address) }
}
