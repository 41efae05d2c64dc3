import TintypeCore

/// The outcome of every receipt of a soak. Each must end, once on each connection, and every coordinator must report the same end later.
struct SoakAccount {
    /// Whether another server may take the place of the Redis. It then refuses to write for a moment, and may lose the last writes that were acknowledged.
    private let forgets: Bool
    private(set) var submitted = 0
    private(set) var open: [Int: SoakJob] = [:]
    private(set) var ended: [Int: String] = [:]
    private var failures: [String: Int] = [:]
    /// The number of ended receipts whose end is posted to the origin.
    private var called = 0
    /// The receipts whose id was submitted to a second queue and refused there.
    private(set) var refused: Set<Int> = []
    /// The receipts that were answered as durable.
    private(set) var kept: Set<Int> = []
    /// The ended receipts that Redis has lost with the last writes of a primary, or whose end it has lost.
    private var forgotten: Set<Int> = []
    /// Those of them that were run again, and ended in another way.
    private var remade: Set<Int> = []
    /// The receipts that were answered as durable, and that Redis did not know later.
    private var lost: Set<Int> = []
    private var tally: [String: Int] = [:]
    private(set) var violations: [String] = []
    var resubmitted = 0
    var reconnects = 0

    init(forgets: Bool) { self.forgets = forgets }

    mutating func begin(_ job: SoakJob) {
        submitted += 1
        open[job.number] = job
    }

    /// Records an end, from an event or from the answer to a repeated submit.
    mutating func end(_ number: Int, _ state: String, _ error: String?) {
        if let before = ended[number] {
            if before != state { violations.append("receipt \(number) was \(before), then \(state)") }
            return
        }
        guard let job = open.removeValue(forKey: number) else { return violations.append("receipt \(number) ended \(state) without a request") }
        ended[number] = state
        if job.kind == .called { called += 1 }
        tally[state, default: 0] += 1
        if let error { failures[error, default: 0] += 1 }
        if !job.mayEnd(state, error, forgets: forgets) { violations.append("receipt \(number) (\(job.kind)) ended \(state) \(error ?? "")") }
    }

    /// Records the answer to a receipt's id that was submitted to another queue than its own.
    /// - Parameter error: The error of the answer; nil if there was none.
    mutating func asked(elsewhere number: Int, _ error: JSON?) {
        if error?["data"]?["name"]?.string == "invalidParams", error?["data"]?["path"]?.string == "receipt" {
            refused.insert(number)
        } else {
            breach("receipt \(number) in a second queue: \(error?.text ?? "taken")")
        }
    }

    /// Records that a coordinator reports another state than the end that the client got.
    mutating func asked(_ number: Int, again state: String, _ end: String, at address: String) {
        let isEnd = ["succeeded", "failed", "cancelled"].contains(state)
        guard forgets, isEnd || ["queued", "running", "delayed", ErrorName.unknownReceipt.rawValue].contains(state) else {
            return breach("receipt \(number) ended \(end); \(address) reports \(state)")
        }
        forgotten.insert(number)
        if isEnd { remade.insert(number) }
    }

    /// Whether a receipt was answered as durable, and Redis was not seen without it since.
    func isKept(_ number: Int) -> Bool { kept.contains(number) && !lost.contains(number) }

    /// Records that a receipt was answered as durable.
    mutating func keep(_ number: Int) { kept.insert(number) }

    /// Records that Redis does not know a receipt which was answered as durable.
    mutating func lose(_ number: Int) { lost.insert(number) }

    mutating func breach(_ what: String) { violations.append(what) }

    /// `submitted=… succeeded=… failed=… cancelled=… open=… violations=… refused=… forgotten=… remade=… kept=… lost=…`
    var words: String {
        let states = ["succeeded", "failed", "cancelled"].map { "\($0)=\(tally[$0] ?? 0)" }.joined(separator: " ")
        let names = failures.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
        return "submitted=\(submitted) \(states) open=\(open.count) violations=\(violations.count) resubmitted=\(resubmitted)"
            + " reconnects=\(reconnects) called=\(called) refused=\(refused.count) forgotten=\(forgotten.count) remade=\(remade.count)"
            + " kept=\(kept.count) lost=\(lost.count) errors=\(names.isEmpty ? "none" : names)"
    }

    /// A fetch is lost when two workers die, or are lost, under it. Up to this number is an accident, more is a defect.
    private var hasTooManyLost: Bool { failures["workerLost"] ?? 0 > max(5, submitted / 500) }

    /// A switch loses what was written within about a second. More than one receipt in 25, or a few that ended twice, is a defect.
    private var hasForgottenTooMuch: Bool { forgotten.count > submitted / 25 || remade.count > max(5, submitted / 1000) }

    /// A slot that has just moved is at no replica yet, so a server that dies at that moment loses even these (docs/decisions/durable.md). More is a defect.
    private var hasLostTooMuch: Bool { lost.count > max(2, submitted / 5_000) }

    /// Whether submitted = succeeded + failed + cancelled, no receipt ended in two ways, and few were lost with their workers.
    var isBalanced: Bool {
        open.isEmpty && violations.isEmpty && !hasTooManyLost && !hasForgottenTooMuch && !hasLostTooMuch && tally.values.reduce(0, +) == submitted
    }
}

/// A request of a soak.
struct SoakJob {
    enum Kind: String { case plain, shared, slow, flaky, missing, cancelled, slotted, called, hurried }

    let number: Int
    let kind: Kind

    init(_ number: Int) {
        self.number = number
        kind =
            switch number % 20 {
            case 3: .missing
            case 5: .slotted
            case 9: .called
            case 14: .hurried
            case 7, 8: .flaky
            case 11: .slow
            case 13: .cancelled
            case 16, 17: .shared
            default: .plain
            }
    }

    /// Whether its answer waits for replicas, where Redis has some.
    var isDurable: Bool { number % 20 == 1 || number % 20 == 18 }

    /// Whether its id is also submitted to a second queue once its own queue has it.
    var isAskedElsewhere: Bool { number % 20 == 10 || number % 20 == 12 }

    /// - Parameters:
    ///   - isElsewhere: Whether the request goes to the queue that is not its own.
    ///   - waits: Whether a durable job says so.
    func params(_ origin: String, _ run: String, isElsewhere: Bool = false, waits: Bool = false) -> JSON {
        let path =
            switch kind {
            case .plain, .cancelled, .slotted, .called: "picture.png?size=96x64&n=\(run)-\(number)"
            case .shared: "picture.png?size=96x64&n=\(run)-shared-\(number / 100)"
            case .slow: "slow/picture.png?size=96x64&rate=20000&n=\(run)-\(number)"
            case .hurried: "slow/picture.png?size=96x64&rate=4000&n=\(run)-\(number)"
            case .flaky: "status/503?times=1&n=\(run)-\(number)"
            case .missing: "status/404?n=\(run)-\(number)"
            }
        var params: JSONObject = [
            "url": .string("\(origin)/\(path)"), "receipt": .string("\(run)-\(number)"), "deadline": kind == .hurried ? 2 : 300,
            "queue": .string((number % 5 == 0) != isElsewhere ? "bulk" : "default"), "priority": JSON([0, 4, -4, 10][number / 7 % 4]),
            "order": number % 3 == 0 ? "lifo" : "fifo",
            "transform": [["op": "resize", "width": 16]], "fetch": ["retry": ["attempts": 5, "base": 0.2, "max": 2]],
        ]
        if kind == .slotted { params["slot"] = .string("\(run)-\(number / 20 % 5)") }
        if isDurable, waits { (params["durable"], params["detached"]) = (true, true) }
        if kind == .called { params["callback"] = ["url": .string("\(origin)/status/200?called=\(run)-\(number)")] }
        return .object(params)
    }

    /// Returns whether a job may end like this. Any fetch may end by two dead workers, and a cancellation may come too late.
    /// - Parameter forgets: whether a short deadline may pass while the Redis refuses to write.
    func mayEnd(_ state: String, _ error: String?, forgets: Bool) -> Bool {
        switch (kind, state) {
        case (_, "failed") where error == "workerLost": true
        case (.missing, "failed"): error == "httpStatus"
        case (.missing, _): false
        case (.hurried, "failed"): error == "deadlineExceeded" || forgets && error == "unavailable"
        case (.cancelled, "cancelled"), (.slotted, "cancelled"), (_, "succeeded"): true
        default: false
        }
    }
}
