/// Which queues a worker asks for work, and in what order. Pure: the time is the caller's.
///
/// A queue that has brought less than was asked for is empty for now, and is asked again when its marker says so. Nobody looks at markers
/// while another queue keeps the worker busy: it is asked now and then all the same, or its work would wait until the other one is empty.
struct ClaimTurns: Sendable {
    /// How long a queue that was empty is not asked while others have work. A claim of an empty queue costs Redis some 20 µs.
    static let patience = Duration.milliseconds(20)

    private let names: [String]
    /// Those that may have something.
    private var promising: Set<String>
    /// When each was found empty, or its marker was last looked at.
    private var looked: [String: ContinuousClock.Instant] = [:]
    /// Where the next round begins, so that each queue is first in its turn.
    private var turn = 0

    init(_ names: [String]) { (self.names, promising) = (names, Set(names)) }

    /// Whether any queue may have something.
    var isAnyPromising: Bool { !promising.isEmpty }

    func isPromising(_ name: String) -> Bool { promising.contains(name) }

    /// The places of the queues, beginning with another one each time.
    mutating func round() -> [Int] {
        turn = (turn + 1) % names.count
        return Array(turn..<names.count) + Array(0..<turn)
    }

    /// Whether a queue is to be asked in a round that is held for others too.
    func isDue(_ name: String, at now: ContinuousClock.Instant) -> Bool {
        promising.contains(name) || looked[name].map { $0 + Self.patience <= now } ?? true
    }

    /// A claim has come back, with less than was asked for or not.
    mutating func claimed(_ name: String, hasMore: Bool, at now: ContinuousClock.Instant) {
        looked[name] = now
        if hasMore { promising.insert(name) } else { promising.remove(name) }
    }

    /// A claim has failed: it is asked again at once. A script is loaded then, and a broken connection shows.
    mutating func failed(_ name: String) { promising.insert(name) }

    /// All markers were waited for until now; one woke the worker, or none did for as long as it sleeps at most.
    mutating func woken(by name: String?, at now: ContinuousClock.Instant) {
        for name in names { looked[name] = now }
        if let name { promising.insert(name) } else { promiseAll() }
    }

    /// Nothing is known of any queue.
    mutating func promiseAll() { promising = Set(names) }
}
