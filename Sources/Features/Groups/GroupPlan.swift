import Coordinator
import TintypeCore
import TintypeQueue

/// The progress of a group: the requests that start next, and the results of ended ones. Pure: no clock, no Redis.
///
/// Redis decides the effect of a request's end on the group (`group-settle.lua`), because steps may be added there at the same moment.
struct GroupPlan: Sendable {
    private(set) var isOver = false
    private(set) var total = 0
    private var concurrency = 1
    private var isChain = false
    /// The requests that have not ended.
    private var requests: [Int: JSON] = [:]
    /// The results of the last steps of a chain. Most later steps refer to these.
    private var recent: [Int: JSON] = [:]
    private static let remembered = 4
    /// The requests that this driver has not started, the next one last.
    private var waiting: [Int] = []
    private(set) var running: Set<Int> = []

    /// The bytes of all recorded outcomes.
    private var noted = 0
    /// The bytes that optional members of the next outcome may add.
    var room: Int { max(0, GroupView.maxNoted - noted) }

    /// The index after the last request that was read.
    private(set) var known = 0
    /// Whether more requests exist: the last page was not the final one, or steps were added since.
    var isIncomplete: Bool { !isOver && total > known }

    init() {}

    /// Takes over the state from Redis. Items that run here go on. Items that another coordinator started come first, because they may have ended.
    /// - Parameter first: The index of the first request in the record; 0 begins again.
    mutating func take(_ record: GroupRecord, from first: Int = 0) {
        isOver = record.state != .running
        total = record.total
        concurrency = record.kind == .chain ? 1 : record.concurrency
        isChain = record.kind == .chain
        noted = record.size
        if first == 0 { (requests, waiting) = ([:], []) }
        requests.merge(record.requests) { _, new in new }
        known = max(first, record.readTo)
        let left = waiting + (first..<known).filter { !record.ended.contains($0) && !running.contains($0) }
        waiting = left.sorted { (record.begun[$0] == nil ? 1 : 0, $0) > (record.begun[$1] == nil ? 1 : 0, $1) }
        if isOver { end() }
    }

    /// Returns the requests to start now. They count as running from here on.
    mutating func next() -> [Int] {
        var begun: [Int] = []
        while !isOver, running.count < concurrency, let index = waiting.popLast() {
            running.insert(index)
            begun.append(index)
        }
        return begun
    }

    /// Returns the steps that a request refers to and whose results are not remembered here.
    func unknownSteps(of index: Int) -> [Int] {
        guard isChain, let request = requests[index] else { return [] }
        return StepReferences.steps(in: request).filter { 0..<index ~= $0 && recent[$0] == nil }.sorted()
    }

    /// Returns a request in the form to submit.
    /// - Parameter results: The results of its `unknownSteps`.
    /// - Throws: When a reference does not resolve.
    func request(_ index: Int, _ results: [Int: JSON] = [:]) throws(TintypeError) -> JSON {
        let request = requests[index] ?? .null
        return isChain ? try StepReferences.resolve(request, of: index, results.merging(recent) { $1 }) : request
    }

    /// Counts the bytes of an outcome that is about to be recorded.
    mutating func note(_ outcome: JSON) { noted += outcome.text.utf8.count }

    /// Records that a request has ended, or that another coordinator runs it.
    mutating func ended(_ index: Int, _ result: JSON?, state: GroupRecord.State, total: Int) {
        guard running.remove(index) != nil else { return }
        requests[index] = nil
        if isChain, let result { recent[index] = StepReferences.opened(result) }
        if recent.count > Self.remembered { recent[recent.keys.min() ?? index] = nil }
        self.total = total
        if state != .running { end() }
    }

    /// Ends the plan: no further request starts.
    mutating func end() {
        isOver = true
        waiting = []
        requests = [:]
    }
}
