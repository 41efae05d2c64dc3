import TintypeImages
import TintypeTransport

/// The open receipts of one name, and the requests that wait for a place among them. A value.
///
/// Items of groups have a line of their own. Free places go to both lines in turn, and each line is first in, first out. So a large group does not hold
/// up requests, and requests do not hold up groups.
///
/// Receipts are members of a set, so that one that is counted or freed twice changes nothing. Each has a time after which it no longer counts, in case its
/// end is never heard of.
struct ConcurrencyPermits: Sendable {
    /// A request that waits.
    struct Waiting: Sendable, Hashable {
        let receipt: String
        /// The time after which its receipt no longer counts.
        let until: Double
        /// Whether it counts among those that wait. Items of groups wait in their groups.
        let isCounted: Bool
    }

    /// The answer to a request.
    enum Verdict: Sendable, Hashable {
        case entered
        /// The number by which it enters or leaves later.
        case waits(Int)
        case refused(NameLimits.Kind)
    }

    private var open: [String: Double] = [:]
    private var waiting: [Int: Waiting] = [:]
    /// The numbers of those that count, and of items, in order. One that is not in `waiting` has left.
    private var requests = FIFO<Int>()
    private var items = FIFO<Int>()
    private var isItemsTurn = false
    private var lastNumber = 0
    /// No receipt ceases to count before this time.
    private(set) var earliest = Double.infinity

    /// The most open receipts; nil: any number.
    private(set) var running: Int?
    /// The most requests that wait.
    private(set) var queued: Int

    init(running: Int? = nil, queued: Int = 0) { (self.running, self.queued) = (running, queued) }

    var openCount: Int { open.count }
    func isOpen(_ receipt: String) -> Bool { open[receipt] != nil }
    /// The requests that wait and count.
    private(set) var waitingCount = 0
    private var isFull: Bool { running.map { open.count >= $0 } ?? false }

    /// Asks for a place.
    mutating func ask(_ request: Waiting, at now: Double) -> Verdict {
        if open[request.receipt] != nil { return .entered }
        // While others wait, `sweep` forgets, which gives them the places.
        if isFull, waiting.isEmpty { forget(at: now) }
        // Those that wait go first.
        if waiting.isEmpty, !isFull {
            enter(request)
            return .entered
        }
        guard !request.isCounted || waitingCount < queued else { return .refused(queued == 0 ? .running : .queued) }
        lastNumber += 1
        waiting[lastNumber] = request
        if request.isCounted {
            requests.append(lastNumber)
            waitingCount += 1
        } else {
            items.append(lastNumber)
        }
        return .waits(lastNumber)
    }

    /// Counts a receipt, whatever the limit is.
    mutating func hold(_ receipt: String, until: Double) { enter(Waiting(receipt: receipt, until: until, isCounted: false)) }

    /// Frees the place of a receipt.
    /// - Returns: The requests that enter now.
    mutating func leave(_ receipt: String) -> [Int] {
        guard open.removeValue(forKey: receipt) != nil else { return [] }
        return advance()
    }

    /// Withdraws a request that waits.
    /// - Returns: Whether it waited.
    mutating func withdraw(_ number: Int) -> Bool {
        guard let left = waiting.removeValue(forKey: number) else { return false }
        if left.isCounted { waitingCount -= 1 }
        requests = tidied(requests)
        items = tidied(items)
        return true
    }

    /// Returns a line without withdrawn numbers once it has many. They are not kept for ever, even if no place becomes free.
    private func tidied(_ line: FIFO<Int>) -> FIFO<Int> {
        guard line.count > 2 * waiting.count + 64 else { return line }
        var kept = line
        kept.removeAll { waiting[$0] == nil }
        return kept
    }

    /// Sets other limits. Requests that wait already stay.
    /// - Returns: The requests that enter now.
    mutating func change(running: Int?, queued: Int) -> [Int] {
        (self.running, self.queued) = (running, queued)
        return advance()
    }

    /// Stops counting receipts whose time is over.
    /// - Returns: The requests that enter now.
    mutating func sweep(at now: Double) -> [Int] {
        forget(at: now)
        return advance()
    }

    private mutating func forget(at now: Double) {
        guard earliest <= now else { return }
        open = open.filter { $0.value > now }
        earliest = open.values.min() ?? .infinity
    }

    private mutating func advance() -> [Int] {
        var entered: [Int] = []
        while !waiting.isEmpty, !isFull, let number = next(), let request = waiting[number] {
            _ = withdraw(number)
            enter(request)
            entered.append(number)
        }
        return entered
    }

    /// Takes the number of the next one out of its line.
    private mutating func next() -> Int? {
        let hasItems = waiting.count > waitingCount
        let isItem = hasItems && (isItemsTurn || waitingCount == 0)
        isItemsTurn = !isItem
        while let number = isItem ? items.popFirst() : requests.popFirst() {
            if waiting[number] != nil { return number }
        }
        return nil
    }

    private mutating func enter(_ request: Waiting) {
        open[request.receipt] = request.until
        earliest = min(earliest, request.until)
    }
}
