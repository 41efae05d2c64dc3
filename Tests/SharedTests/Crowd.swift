import TestSupport

@testable import TintypeCore
@testable import TintypeImages
@testable import TintypeQueue
@testable import TintypeTransport

/// A life of a queue with crowds: of receipts, renditions, tags, hosts, items of groups, callbacks, and entries of the blacklist.
@Loop final class Crowd {
    let h: QueueHarness
    private let count: Int
    /// The most commands that Redis ran for one call of each script, on average over the calls of one step of the life.
    private(set) var steps: [QueueScript: Int] = [:]

    init(_ harness: QueueHarness, _ count: Int) { (h, self.count) = (harness, count) }

    private var numbers: Range<Int> { 0..<count }

    func live() async throws {
        _ = try await h.queue.configure(QueueChange(maxConcurrent: 10_000, maxConcurrentPerHost: 10_000, maxQueued: 1_000_000))
        try await succeed()
        try await fail()
        try await expire()
        try await loseWorkers()
        try await withdraw()
        try await hosts()
        try await callbacks()
        try await groups()
        try await lists()
        let words = [RedisArgument](repeating: "x", count: 40)
        for script in QueueScript.allCases where steps[script] == nil {
            try await measure(script) { _ = try? await h.queue.run(script, words) }
        }
    }

    private func measure<T>(_ script: QueueScript, _ body: () async throws -> T) async throws -> T {
        _ = try await h.redis.command(["CONFIG", "RESETSTAT"])
        let result = try await body()
        var (calls, commands) = (0, 0)
        for line in (try await h.redis.command(["INFO", "commandstats"]).string ?? "").split(whereSeparator: \.isNewline) {
            let words = line.split { ":=,".contains($0) }
            guard words.count > 2, words[0].hasPrefix("cmdstat_"), let number = Int(words[2]) else { continue }
            switch words[0].dropFirst(8) {
            case "evalsha": calls = number
            case "config|resetstat", "info", "ping": break
            default: commands += number
            }
        }
        if calls > 0 { steps[script] = max(steps[script] ?? 0, commands / calls) }
        return result
    }

    /// Submits receipts that share a fetch and differ otherwise. The last one is measured.
    private func gather(_ source: String, _ change: @escaping (Int, inout Submission) -> Void = { _, _ in }) async throws {
        for number in numbers {
            func submit() async throws {
                _ = try await h.submit("\(source).\(number)", source: source, renditions: ["small", "own\(number)"]) {
                    ($0.priority, $0.deadlineSeconds, $0.maxAttempts) = (number % 500 - 250, 3600, 1)
                    ($0.meta, $0.wantsProgress, $0.tags) = (#","tag":"t""#, true, ["tag\(number % 9)"])
                    $0.previews = PreviewOptions(queued: "plain 500 64")
                    change(number, &$0)
                }
            }
            if number == numbers.last { try await measure(.submit, submit) } else { try await submit() }
        }
        for number in [count - 2, count - 1] { _ = try await measure(.pause) { try await h.queue.pause(receipt: "\(source).\(number)", true) } }
    }

    private func succeed() async throws {
        try await gather("a") { number, submission in if number == 9 { submission.supersedeKey = "slot" } }
        _ = try await measure(.submit) { try await h.submit("a.next", source: "a") { $0.supersedeKey = "slot" } }
        _ = try await measure(.pause) { try await h.queue.pause(receipt: "a.\(count - 2)", false) }
        _ = try await measure(.priority) { try await h.queue.setPriority(receipt: "a.3", 5) }
        _ = try await measure(.cancel) { try await h.queue.cancel(receipt: "a.\(count - 1)", reason: "test") }
        _ = try await measure(.leave) { try await h.queue.leave(receipt: "a.4", coordinator: "c1") }
        _ = try await measure(.snapshot) { try await h.queue.snapshots(numbers.prefix(200).map { "a.\($0)" }, adoptedBy: "c2", areAwaited: true) }
        let run = try await measure(.claim) { try await h.claim() }
        _ = try await measure(.workerHeartbeat) { try await h.queue.beat(worker: "w1", info: [:], [run.lease]) }
        for type in [EventType.response, .progress, .preview] {
            _ = try await measure(.progress) { try await h.queue.progress(run.lease, [FetchEvent(type: type, body: ["phase": "decode"])]) }
        }
        _ = try await h.queue.pause()
        _ = try await measure(.coordinatorHeartbeat) { try await h.queue.greet(coordinator: "c1", counted: 1) }
        _ = try await h.queue.resume()
        _ = try await measure(.purgeRuns) { try await h.queue.eachRun { _ in } }
        for kind in ["fetch", "piece"] {
            let name = (kind == "piece" ? "fr:" : "") + run.lease.fetch
            _ = try await measure(.inspect) { try await h.queue.run(.inspect, [.string(kind), .string(name)]) }
        }
        _ = try await measure(.dump) { try await h.queue.dump() }
        _ = try await measure(.rendition) { try await h.queue.rendition(run.lease, QueueHarness.made("a-small")) }
        let rest = run.renditions.map(\.digest).filter { $0 != "a-small" }
        _ = try await measure(.finish) { try await h.queue.finish(run.lease, .success(metrics: [:], rest.map { QueueHarness.made($0) })) }
    }

    private func fail() async throws {
        try await gather("b")
        let run = try await h.claim()
        _ = try await measure(.release) { try await h.queue.release(run.lease) }
        let again = try await h.claim()
        _ = try await measure(.fail) { try await h.queue.finish(again.lease, .failure(QueueHarness.transient, retryAfter: nil)) }
        let letters = try await measure(.deadLetters) { try await h.queue.deadLetters(limit: 10).items }
        guard letters.count == 1 else { throw TestFailure("\(letters.count) dead letters") }
        _ = try await measure(.deadLettersRemove) { try await h.queue.discard(dead: letters.map(\.id)) }
    }

    private func expire() async throws {
        try await gather("c") { $1.deadlineSeconds = 5 }
        let run = try await h.claim()
        h.tick(6_000)
        _ = try await measure(.expire) { try await h.queue.run(.expire, [.string(run.lease.fetch)]) }
        _ = try await h.queue.finish(run.lease, .failure(QueueHarness.transient, retryAfter: nil))
    }

    /// A run that loses its worker twice, and one whose receipts are late.
    private func loseWorkers() async throws {
        try await gather("d")
        try await gather("e") { $1.deadlineSeconds = 5 }
        for worker in ["w1", "w2"] {
            for _ in 0..<2 { _ = try await h.queue.claim(worker: worker, count: 1) }
            h.tick(20_000)
            while try await measure(.reap, { try await h.queue.reap() }).hasMore {}
            h.tick(1_000)
        }
        guard try await h.queue.info()?.dead == 1 else { throw TestFailure("no run has lost its worker twice") }
    }

    private func withdraw() async throws {
        try await gather("f") { $1.coordinator = "c9" }
        _ = try await h.queue.greet(coordinator: "c9")
        h.tick(60_000)
        _ = try await measure(.abandon) { try await h.queue.abandon(coordinator: "c9") }
        try await gather("g")
        _ = try await measure(.queueEmpty) { try await h.queue.cancelAll(reason: "test") }
    }

    private func hosts() async throws {
        for number in numbers { _ = try await h.submit("h.\(number)", source: "h\(number)", host: "h\(number).test") }
        _ = try await measure(.configure) { try await h.queue.configure(QueueChange(order: .lifo)) }
        let limits = try Rules(text: #"{"rules":[{"hosts":["*"],"maxConcurrentPerHost":3}]}"#, path: "r").hostLimits
        _ = try await measure(.defaults) { try await h.queue.setDefaults(maxQueued: 100_000, hostLimits: limits) }
        _ = try await measure(.throttle) { try await h.queue.hold("h1.test", seconds: 5) }
        _ = try await measure(.info) { try await h.queue.info() }
        let runs = try await h.queue.claim(worker: "w1", count: 20).fetches.map(\.lease)
        _ = try await measure(.purgeMark) { try await h.queue.mark(purged: runs) }
        _ = try await h.queue.cancelAll(reason: "test")
    }

    private func callbacks() async throws {
        for number in numbers {
            _ = try await h.submit("k.\(number)", source: "k") { $0.callback = CallbackTarget(url: "http://h\(number).test/", secret: "s") }
        }
        _ = try await h.queue.cancelAll(reason: "test")
        let due = try await measure(.callbacksLease) { try await h.queue.dueCallbacks(count: 100, lease: .seconds(3)) }
        _ = try await measure(.callbackSettle) { try await h.queue.settle(due[0], retryAfter: nil) }
    }

    private func groups() async throws {
        let requests = numbers.map { #"{"url":"http://a.test/\#($0)"}"# }
        let chain = GroupRecord(id: "g", kind: .chain)
        let token = try await measure(.groupStart) { try await h.queue.start(group: chain, coordinator: "c1", requests: requests) }
        guard let token else { throw TestFailure("no group") }
        let lease = GroupLease(group: "g", token: token)
        _ = try await measure(.groupBegin) { try await h.queue.begin(lease, index: 0, GroupRecord.Begun(queue: "default", receipt: "g.0")) }
        _ = try await measure(.groupSettle) { try await h.queue.settle(lease, index: 0, outcome: ["state": "succeeded"], failure: nil) }
        _ = try await measure(.groupAppend) { try await h.queue.append(group: "g", call: "1", requests: requests, most: 10_000) }
        for extent in [GroupRecord.Extent.results(from: 0, limit: 100), .requests(from: 0)] {
            _ = try await measure(.groupRead) { try await h.queue.group("g", extent) }
        }
        for _ in 0..<6 {
            h.tick(20_000)
            _ = try await measure(.groupDrive) { try await h.queue.drive([], coordinator: "c2", adopting: 100) }
        }
        _ = try await h.queue.start(group: GroupRecord(id: "i", kind: .batch), coordinator: "c1", requests: requests)
        _ = try await measure(.groupCancel) { try await h.queue.cancel(group: "i", reason: "test") }
    }

    /// Lists that operators read, and that clients fill.
    private func lists() async throws {
        let until = (h.queue.clock ?? 0) + 60_000
        for number in numbers {
            _ = try await h.redis.command(["SET", .string("tintype:{default}:b:\(number)"), .string("1 \(until) all {}"), "PX", "600000"])
            _ = try await h.redis.command(["ZADD", "tintype:{default}:bl", .int(until), .string("\(number)")])
        }
        _ = try await measure(.blacklist) { try? await h.queue.blacklist(limit: 100) }
        _ = try await measure(.blacklistRemove) { try await h.queue.clearBlacklist() }
        let targets = try numbers.map { try PurgeTarget(url: "http://a.test/\($0)") }
        _ = try await measure(.purge) { try await h.queue.note(purges: targets) }
    }
}
