/// The number of connections that the listeners of a server keep open with the available descriptors. Some descriptors are always left for Redis, the
/// store and files. A pure value.
package struct ConnectionPlan: Sendable, Hashable {
    package let limits: ConnectionLimits
    /// Whether a default was reduced.
    package let isCut: Bool
    /// Whether the operator has set a number for which there are too few descriptors. The number stays: connections that cannot be accepted wait.
    package let isTooMuch: Bool

    /// - Parameters:
    ///   - asked: the limits of each listener. A number that equals the default counts as not set.
    ///   - descriptors: the number of available descriptors.
    package init(_ asked: ConnectionLimits, descriptors: Int, listeners: Int = 2) {
        let usual = ConnectionLimits.usual
        // Divide first: there may be no limit.
        let room = max(1, descriptors / 4 * 3 / listeners)
        var limits = asked
        if asked.total == usual.total { limits.total = min(usual.total, room) }
        // A part of the room: if the operator allows fewer connections, all of them may come from one proxy.
        if asked.perAddress == usual.perAddress { limits.perAddress = min(usual.perAddress, max(1, room / 4)) }
        self.limits = limits
        isCut = limits != asked
        isTooMuch = limits.total > room || limits.perAddress > room
    }
}
