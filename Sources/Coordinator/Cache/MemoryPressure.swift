import TintypeCore

/// When the memory tier is to be emptied, because others need the memory more. A pure value.
struct MemoryPressure: Sendable {
    /// Why.
    enum Cause: String, Sendable, CaseIterable {
        /// This process has more than the operator allows it.
        case resident
        /// Its control group is close to what it may have.
        case limit
        /// It has reached that since we looked last.
        case shortage
        /// Somebody waits for memory for a good part of the time.
        case stall
    }

    /// This part of what the group may have is close to it.
    static let near = 0.9
    /// From this part on it counts that the limit was reached. Below it pages of files were thrown out, which costs nobody anything.
    static let noticeable = 0.75
    /// Percent of ten seconds.
    static let mostStalled = 10.0
    /// How long the tier is left alone once it was emptied, seconds: what was given back shows a little later.
    static let rest = 5.0

    /// Resident bytes from which on the operator wants it emptied; nil: the kernel's limits are enough.
    let mostResident: Int?
    private var shortages: Int?
    private var restsUntil = -Double.infinity

    init(mostResident: Int?) { self.mostResident = mostResident }

    /// - Parameter now: monotonic seconds.
    /// - Returns: why it is to be emptied now; nil if it is not.
    mutating func judge(_ reading: MemoryReading, at now: Double) -> Cause? {
        defer { shortages = reading.group?.shortages }
        guard now >= restsUntil, let cause = cause(reading) else { return nil }
        restsUntil = now + Self.rest
        return cause
    }

    private func cause(_ reading: MemoryReading) -> Cause? {
        if let mostResident, reading.resident >= mostResident { return .resident }
        if let group = reading.group, let limit = group.limit, limit > 0 {
            let part = Double(group.used) / Double(limit)
            if part >= Self.near { return .limit }
            // A shortage before our first look is nobody's fault now.
            if part >= Self.noticeable, let shortages, group.shortages > shortages { return .shortage }
        }
        return reading.stalled ?? 0 >= Self.mostStalled ? .stall : nil
    }
}
