/// The latest switch that any sentinel has told. Pure: the caller supplies the time.
///
/// The sentinels that know of a switch may be silent for a moment, while one that does not know of it answers. Its primary is the old one, which still
/// calls itself a primary. So an older answer does not count. Sentinels that were set up anew begin with zero, so that holds for a minute only.
package struct LatestSwitch: Sendable, Hashable {
    /// How long a switch is remembered of which no sentinel tells any more.
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
