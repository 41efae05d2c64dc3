import TintypeQueue

/// The order in which a worker claims from its queues. Pure: the caller supplies the time.
///
/// A queue that returned less than was asked for is empty for now. Its marker says when to ask again. But nobody reads markers while another queue keeps
/// the worker busy. So an empty queue is asked now and then all the same; otherwise its work would wait until the other queue is empty.
struct ClaimSchedule: Sendable {
    /// How long an empty queue is not asked while others have work. A claim of an empty queue costs Redis some 20 µs.
    static let patience = Duration.milliseconds(20)

    private var names: [String]
    /// The queues that are first in each round.
    private let preferred: Set<String>
    /// The queues that may have work.
    private var promising: Set<String>
    /// When each queue was found empty, or its marker was last read.
    private var looked: [String: ContinuousClock.Instant] = [:]
    /// Where the next round begins, so that each queue is first in turn.
    private var turn = 0

    init(_ names: [String], preferred: Set<String> = []) { (self.names, self.preferred, promising) = (names, preferred, Set(names)) }

    /// Takes other queues over. Nothing is known about new ones.
    mutating func serve(_ names: [String]) {
        promising = promising.intersection(names).union(Set(names).subtracting(self.names))
        looked = looked.filter { names.contains($0.key) }
        (self.names, turn) = (names, 0)
    }

    /// Whether any queue may have work.
    var isAnyPromising: Bool { !promising.isEmpty }

    func isPromising(_ name: String) -> Bool { promising.contains(name) }

    /// Returns the indices of the queues, the preferred ones first, each time beginning with another one.
    mutating func round() -> [Int] {
        turn = (turn + 1) % names.count
        let all = Array(turn..<names.count) + Array(0..<turn)
        if preferred.isEmpty { return all }
        return all.filter { isPreferred($0) } + all.filter { !isPreferred($0) }
    }

    private func isPreferred(_ index: Int) -> Bool { preferred.contains(ShardNames.queue(of: names[index])) }

    /// Whether a queue is asked in a round, even if the round is made for other queues.
    func isDue(_ name: String, at now: ContinuousClock.Instant) -> Bool {
        promising.contains(name) || looked[name].map { $0 + Self.patience <= now } ?? true
    }

    /// Records the answer of a claim: `hasMore` is false if it was less than was asked for.
    mutating func claimed(_ name: String, hasMore: Bool, at now: ContinuousClock.Instant) {
        looked[name] = now
        if hasMore, names.contains(name) { promising.insert(name) } else { promising.remove(name) }
    }

    /// Records a failed claim. The queue may have work until it answers.
    mutating func failed(_ name: String) {
        if names.contains(name) { promising.insert(name) }
    }

    /// Records the end of a wait for markers: one of them woke the worker, or the wait is over.
    /// - Parameter part: the queues whose markers were waited for.
    mutating func woken(by name: String?, among part: [String], at now: ContinuousClock.Instant) {
        for name in part { looked[name] = now }
        promising.formUnion((name.map { [$0] } ?? part).filter(names.contains))
    }

    /// Asks all queues again, because nothing is known about them.
    mutating func promiseAll() { promising = Set(names) }
}
