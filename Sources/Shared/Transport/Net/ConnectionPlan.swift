/// How many connections the listeners of a server keep open with the descriptors that it may have: whatever clients open, some are left for Redis,
/// the store and files. A pure value.
package struct ConnectionPlan: Sendable, Hashable {
    /// The limits of each listener.
    package let limits: ConnectionLimits
    /// Whether a usual number was cut.
    package let isCut: Bool
    /// Whether the operator has set a number for which there are too few descriptors. The number stays: what cannot be accepted waits.
    package let isTooMuch: Bool

    /// - Parameters:
    ///   - asked: of each listener; a number that is the usual one counts as set by nobody.
    ///   - descriptors: how many there may be.
    package init(_ asked: ConnectionLimits, descriptors: Int, listeners: Int = 2) {
        let usual = ConnectionLimits.usual
        // Divided first: there may be no limit.
        let room = max(1, descriptors / 4 * 3 / listeners)
        var limits = asked
        if asked.total == usual.total { limits.total = min(usual.total, room) }
        // A part of the room that there is: where the operator lets in fewer, one proxy may be all that comes.
        if asked.perAddress == usual.perAddress { limits.perAddress = min(usual.perAddress, max(1, room / 4)) }
        self.limits = limits
        isCut = limits != asked
        isTooMuch = limits.total > room || limits.perAddress > room
    }
}
