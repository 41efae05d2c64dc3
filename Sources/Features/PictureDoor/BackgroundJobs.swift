import Coordinator
import TintypeCore

/// The work that goes on behind the answers of the picture door: what is under way, and what has ended lately. Pure.
///
/// It bounds the work, begins nothing twice, and keeps what has failed from being tried at each request.
struct BackgroundJobs: Sendable {
    /// The state of a piece of work.
    enum Standing: Sendable, Hashable {
        case unknown
        case underWay
        /// It has ended well a moment ago. If its picture is nowhere, no cache may keep it.
        case made
        /// It has failed, and is left alone for a while.
        case failed
        /// It would bring nothing new.
        case needless
    }

    /// The decision about a request for work.
    enum Verdict: Sendable, Hashable {
        case begins
        /// It is under way.
        case joins
        /// It is not begun for so many seconds.
        case rests(Double)
        /// Too much is under way.
        case noRoom
    }

    /// The way in which a piece of work ends.
    enum Ending: Sendable, Hashable {
        case made
        case failed
        /// The service did not do it, for a reason that tells nothing about the picture.
        case disturbed

        /// - Parameter error: The error of `image.load`; nil: there is a picture.
        init(_ error: ErrorName?) {
            guard let error else {
                self = .made
                return
            }
            self = error.kind == .interruption ? .disturbed : .failed
        }
    }

    /// How a piece of work has ended.
    private struct End: Sendable {
        var standing: Standing
        /// The number of failures in a row.
        var failures = 0
        /// Seconds of the same clock as `now`.
        var until: Double
    }

    /// Seconds for which work that has ended well, or that was disturbed, is not begun again.
    static let rest = 10.0
    /// Seconds for which work is left alone after its first failure. Each further failure in a row doubles them.
    static let firstPause = 60.0
    /// The most of these seconds.
    static let longestPause = 3600.0
    /// The number of ends that are known.
    static let mostEnds = 1024

    /// The number of pieces that may be under way.
    let most: Int
    /// The client of each piece under way.
    private var running: [String: String] = [:]
    private var ends: [String: End] = [:]
    /// The number of pieces that one client may have under way in any case. Beyond it a client gets a place only while less than half of all places are
    /// taken. So a proxy, which asks for all of its clients, gets half of the places, and leaves room for others.
    private let share: Int

    /// - Parameter isShared: Whether a client has a share of a quarter of the places. Otherwise the first ones take all.
    init(most: Int, isShared: Bool = false) { (self.most, share) = (most, isShared ? max(1, most / 4) : most) }

    /// The number of pieces under way.
    var count: Int { running.count }

    /// Returns the state of a piece of work.
    /// - Parameter now: Seconds of a clock that never goes back.
    func standing(of key: String, at now: Double) -> Standing {
        if running[key] != nil { return .underWay }
        guard let end = ends[key], now < end.until else { return .unknown }
        return end.standing
    }

    /// Decides whether a piece of work begins, and counts it as begun.
    /// - Parameter client: the address, or the IPv6 network, of the client that causes it.
    mutating func begin(_ key: String, for client: String, at now: Double) -> Verdict {
        if running[key] != nil { return .joins }
        if let end = ends[key], now < end.until { return .rests(end.until - now) }
        guard running.count < most, 2 * running.count < most || running.values.count(where: { $0 == client }) < share else { return .noRoom }
        running[key] = client
        return .begins
    }

    /// Records the end of a piece of work. Disturbed work is unknown again, and counts neither as a failure nor as the end of a row of failures.
    mutating func end(_ key: String, _ ending: Ending, at now: Double) {
        running[key] = nil
        let before = ends[key]?.failures ?? 0
        switch ending {
        case .made: note(End(standing: .made, until: now + Self.rest), key)
        case .disturbed: note(End(standing: .unknown, failures: before, until: now + Self.rest), key)
        case .failed:
            let pause = min(Self.firstPause * Double(1 << min(before, 10)), Self.longestPause)
            note(End(standing: .failed, failures: before + 1, until: now + pause), key)
        }
    }

    /// Records that a piece of work would bring nothing new for so many seconds.
    mutating func dismiss(_ key: String, for seconds: Double, at now: Double) {
        note(End(standing: .needless, until: now + min(seconds, Self.longestPause)), key)
    }

    private mutating func note(_ end: End, _ key: String) {
        ends[key] = end
        guard ends.count > Self.mostEnds else { return }
        // A quarter goes at once, so that not every end has to look for the oldest one.
        for (key, _) in ends.sorted(by: { $0.value.until < $1.value.until }).prefix(Self.mostEnds / 4) { ends[key] = nil }
    }
}
