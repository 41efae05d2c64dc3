import TintypeCore

/// Decides when the memory tier must be emptied because memory is short. A pure value.
struct MemoryPressure: Sendable {
    enum Cause: String, Sendable, CaseIterable {
        /// This process uses more than the operator allows.
        case resident
        /// The control group is close to its limit.
        case limit
        /// The control group has reached its limit since the last check.
        case shortage
        /// Processes wait for memory during a large part of the time.
        case stall
    }

    /// The part of the group's limit that counts as close to it.
    static let near = 0.9
    /// The part of the limit above which reaching the limit counts. Below it, only file pages were dropped, which costs little.
    static let noticeable = 0.75
    /// Percent of ten seconds.
    static let maxStalled = 10.0
    /// The seconds without a further decision after the tier was emptied, because freed memory shows a little later.
    static let pause = 5.0

    /// The resident bytes above which the tier is emptied, set by the operator; nil: only the kernel's limits count.
    let maxResident: Int?
    private var shortages: Int?
    private var pausedUntil = -Double.infinity

    init(maxResident: Int?) { self.maxResident = maxResident }

    /// Decides by a reading.
    /// - Parameter now: Monotonic seconds.
    /// - Returns: The reason to empty the tier now; nil if there is none.
    mutating func judge(_ reading: MemoryReading, at now: Double) -> Cause? {
        defer { shortages = reading.group?.shortages }
        guard now >= pausedUntil, let cause = cause(reading) else { return nil }
        pausedUntil = now + Self.pause
        return cause
    }

    private func cause(_ reading: MemoryReading) -> Cause? {
        if let maxResident, reading.resident >= maxResident { return .resident }
        if let group = reading.group, let limit = group.limit, limit > 0 {
            let part = Double(group.used) / Double(limit)
            if part >= Self.near { return .limit }
            // A shortage before the first check does not count.
            if part >= Self.noticeable, let shortages, group.shortages > shortages { return .shortage }
        }
        return reading.stalled ?? 0 >= Self.maxStalled ? .stall : nil
    }
}
