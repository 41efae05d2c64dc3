import TintypeImages
import TintypeTransport

/// The open receipts of one name, and the requests that wait for a place among them, first in, first out. A value.
///
/// Receipts are members of a set, so that one that is counted or freed twice changes nothing. Each has a time after which it no longer counts, in case its
/// end is never heard of.
struct Places: Sendable {
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
    /// The numbers in order. One that is not in `waiting` has left.
    private var order = FIFO<Int>()
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
        if isFull { forget(at: now) }
        // Those that wait go first.
        if waiting.isEmpty, !isFull {
            enter(request)
            return .entered
        }
        guard !request.isCounted || waitingCount < queued else { return .refused(queued == 0 ? .running : .queued) }
        lastNumber += 1
        waiting[lastNumber] = request
        order.append(lastNumber)
        if request.isCounted { waitingCount += 1 }
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
        // Withdrawn numbers are not kept for ever, even if no place becomes free.
        if order.count > 2 * waiting.count + 64 {
            var kept = FIFO<Int>()
            for number in order.elements where waiting[number] != nil { kept.append(number) }
            order = kept
        }
        return true
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
        while !waiting.isEmpty, !isFull, let number = order.popFirst() {
            guard let request = waiting[number] else { continue }
            _ = withdraw(number)
            enter(request)
            entered.append(number)
        }
        return entered
    }

    private mutating func enter(_ request: Waiting) {
        open[request.receipt] = request.until
        earliest = min(earliest, request.until)
    }
}
