import TintypeCore
import TintypeQueue

/// What is to be done for a group: which requests begin next, and what came of those that have ended. Pure: no clock, no Redis.
///
/// What the end of a request means for the group is decided in Redis (`groupsettle.lua`), where steps may be added at the same moment.
struct GroupPlan: Sendable {
    private(set) var isOver = false
    private(set) var total = 0
    private var concurrency = 1
    private var isChain = false
    /// Requests that have not ended.
    private var requests: [Int: JSON] = [:]
    /// What came of the last steps of a chain: most of those that come after refer to these.
    private var recent: [Int: JSON] = [:]
    private static let remembered = 4
    /// Not begun by us, the next one last.
    private var waiting: [Int] = []
    private(set) var running: Set<Int> = []

    /// Bytes of what came of those that have ended.
    private var noted = 0
    /// How many more the next one may add that could do without them.
    var room: Int { max(0, GroupView.mostNoted - noted) }

    /// Up to which one the requests were read.
    private(set) var known = 0
    /// Whether there are more: a page was not the last, or steps were added since.
    var isIncomplete: Bool { !isOver && total > known }

    init() {}

    /// Takes in what Redis knows; what runs here goes on running. Those that somebody else has begun come first: they may have ended.
    /// - Parameter first: the one from which on requests were read; 0 begins anew.
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

    /// The requests to begin now; they count as running from here on.
    mutating func next() -> [Int] {
        var begun: [Int] = []
        while !isOver, running.count < concurrency, let index = waiting.popLast() {
            running.insert(index)
            begun.append(index)
        }
        return begun
    }

    /// The steps a request refers to of which nothing is remembered here.
    func unknownSteps(of index: Int) -> [Int] {
        guard isChain, let request = requests[index] else { return [] }
        return StepReferences.steps(in: request).filter { 0..<index ~= $0 && recent[$0] == nil }.sorted()
    }

    /// A request as it is to be submitted.
    /// - Parameter results: what came of its `unknownSteps`.
    /// - Throws: when a reference in it does not resolve.
    func request(_ index: Int, _ results: [Int: JSON] = [:]) throws(TintypeError) -> JSON {
        let request = requests[index] ?? .null
        return isChain ? try StepReferences.resolve(request, of: index, results.merging(recent) { $1 }) : request
    }

    /// What came of a request is about to be written down.
    mutating func note(_ outcome: JSON) { noted += outcome.text.utf8.count }

    /// A request has ended, or is not ours to run.
    mutating func ended(_ index: Int, _ result: JSON?, state: GroupRecord.State, total: Int) {
        guard running.remove(index) != nil else { return }
        requests[index] = nil
        if isChain, let result { recent[index] = StepReferences.opened(result) }
        if recent.count > Self.remembered { recent[recent.keys.min() ?? index] = nil }
        self.total = total
        if state != .running { end() }
    }

    /// The group has ended: nothing more begins.
    mutating func end() {
        isOver = true
        waiting = []
        requests = [:]
    }
}
