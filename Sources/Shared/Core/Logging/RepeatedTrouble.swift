/// Which troubles are worth a line of log: each when it is new, and again once a minute while it lasts.
///
/// For what is tried over and over: a line for each try buries the log, one line in all hides that the reason has become another. At most
/// `most` different ones a minute, because texts of strangers may hold what changes each time. A value; whoever tries keeps it.
package struct RepeatedTrouble: Sendable {
    private static let most = 8
    private static let pause = Duration.seconds(60)

    private var said: [String: ContinuousClock.Instant] = [:]

    package init() {}

    /// Whether `text` is to be said now; it counts as said then.
    package mutating func isNews(_ text: String, at now: ContinuousClock.Instant = .now) -> Bool {
        said = said.filter { $0.value + Self.pause > now }
        guard said[text] == nil, said.count < Self.most else { return false }
        said[text] = now
        return true
    }

    /// All is well again: what comes next is new.
    package mutating func end() { said = [:] }
}
