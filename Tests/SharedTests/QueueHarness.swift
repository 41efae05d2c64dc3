import Foundation
import TintypeCore
import TintypeTransport
import TintypeQueue
import TestSupport

/// A queue on a private Redis, with a clock of the test and a subscriber to every channel.
@Loop final class QueueHarness {
    let server: RedisServer
    let redis: RedisClient
    let nodes: RedisNodes
    /// The queue, as one of its builds sees it.
    private(set) var queue: Queue
    private let builds: [Queue]
    private let subscriber: RedisSubscriber
    private var heard: [(channel: String, payload: [UInt8])] = []
    private var fences = 0
    private var passed: OneShot<Void>?

    /// The texts of all scripts, each with flags. Only a script without flags may use keys of several slots.
    nonisolated static let flagged = QueueScripts.sources.merging(
        QueueScript.allCases.map(\.rawValue).compactMap { name in
            QueueScripts.sources[name].flatMap { $0.hasPrefix("#!") ? nil : (name, "#!lua\n" + $0) }
        }
    ) { $1 }

    /// The scripts where the test names none.
    nonisolated static let usual = RedisServer.isClusterByDefault ? QueueScripts(sources: flagged) : .shipped

    /// - Parameter others: the scripts of other builds.
    init(
        scripts: QueueScripts = QueueHarness.usual, others: [QueueScripts] = [], name: String = "default", options: [String] = [],
        isCluster: Bool = RedisServer.isClusterByDefault
    ) async throws {
        server = try await RedisServer(options: options, isCluster: isCluster)
        let logger = Logger(label: "test", level: .error)
        let endpoint = try RedisEndpoint(server.url)
        redis = RedisClient(endpoint, name: "queue-test", logger: logger, scripts: scripts.all)
        nodes = RedisNodes(redis)
        subscriber = RedisSubscriber(endpoint, name: "queue-test-ear", logger: logger)
        builds = ([scripts] + others).map { [nodes] in Queue(name: name, redis: nodes, scripts: $0) }
        queue = builds[0]
        queue.clock = 1_700_000_000_000
        redis.start()
        try await redis.untilConnected(within: .seconds(10))
        let ready = LoopCounter()
        subscriber.start()
        let hear: @Loop (String, [UInt8]) -> Void = { [weak self] channel, payload in
            guard let self else { return }
            if channel == "tintype:fence" {
                passed?.complete(.success(()))
            } else {
                heard.append((channel, payload))
            }
        }
        // Patterns have no sharded form.
        let sharded = [queue.keys.control] + ["c1", "c2", "c3"].map(queue.keys.events(coordinator:))
        for channel in sharded { subscriber.subscribe(channel, .sharded, confirmed: { ready.note() }, hear) }
        subscriber.subscribe("tintype:*", .pattern, confirmed: { ready.note() }, hear)
        try await ready.reaches(sharded.count + 1)
        TestScope.atEnd { [self] in await stop() }
    }

    /// Closes its connections and its Redis, for a test that needs many. At the latest, the end of the test does so.
    func stop() async {
        redis.stop()
        subscriber.stop()
        await server.kill9()
    }

    /// The number of scripts that Redis has run.
    func scriptCalls() async throws -> Int {
        let text = try await redis.command(["INFO", "commandstats"]).string ?? ""
        guard let mark = text.range(of: "cmdstat_evalsha:calls=") else { return 0 }
        return Int(text[mark.upperBound...].prefix { $0.isNumber }) ?? 0
    }

    /// Makes the next call use another build.
    func turn(_ number: Int) {
        let (clock, jitter) = (queue.clock, queue.jitter)
        queue = builds[number % builds.count]
        (queue.clock, queue.jitter) = (clock, jitter)
    }

    func tick(_ milliseconds: Int64) { queue.clock? += milliseconds }

    /// All messages since the last call.
    func messages() async throws -> [(channel: String, payload: [UInt8])] {
        let fence = OneShot<Void>()
        passed = fence
        _ = try await redis.command(["PUBLISH", "tintype:fence", "x"])
        try await fence.wait()
        defer { heard = [] }
        return heard
    }

    /// The public events of a receipt since the last call, as "seq type".
    func story(of receipt: String) async throws -> [String] {
        try await publicEvents(of: receipt).map { "\($0["seq"]?.int ?? 0) \($0["type"]?.string ?? "")" }
    }

    func publicEvents(of receipt: String) async throws -> [JSON] {
        let channel = queue.keys.publicEvents(receipt: receipt)
        return try await messages().filter { $0.channel == channel }.map { try JSON(parsing: $0.payload) }
    }

    /// A submission with sensible fields; `source` names the picture.
    nonisolated static func submission(
        _ receipt: String, source: String = "source", renditions: [String] = ["small"], coordinator: String = "c1", host: String = "a.test"
    ) -> Submission {
        var submission = Submission(
            receipt: receipt, coordinator: coordinator, fingerprint: "f-" + receipt, source: source, host: host,
            fetch: #"{"urls":["http://\#(host)/\#(source)"]}"#,
            renditions: renditions.map { .init(name: $0, digest: source + "-" + $0, json: #"{"name":"\#($0)"}"#) })
        submission.resultTime = 60
        return submission
    }

    func submit(
        _ receipt: String, source: String = "source", renditions: [String] = ["small"], coordinator: String = "c1", host: String = "a.test",
        _ change: (inout Submission) -> Void = { _ in }
    ) async throws -> SubmitAnswer {
        var submission = Self.submission(receipt, source: source, renditions: renditions, coordinator: coordinator, host: host)
        change(&submission)
        return try await queue.submit(submission)
    }

    /// Returns connections for `sleep`, and waits until the first is there.
    func waits() async throws -> MarkerWaiter {
        let endpoint = try RedisEndpoint(server.url)
        let waits = MarkerWaiter(endpoint) { RedisNodes($0, name: "sleeper", logger: Logger(label: "test", level: .error)) }
        TestScope.atEnd { await waits.stop() }
        waits.start()
        try await waits.untilConnected(within: .seconds(10))
        return waits
    }

    /// Sleeps as a worker with one permit for each queue does.
    /// - Returns: the queues that woke it, and the number of claimed fetches by queue.
    nonisolated static func sleep(
        on waits: MarkerWaiter, _ queues: [Queue], for time: Duration = .seconds(20)
    ) async throws -> (woken: [String], fetches: [String: Int]) {
        try await Task { @Loop in
            var woken: [String] = []
            var fetches: [String: Int] = [:]
            var failure: RedisError?
            try await Queue.sleep(on: waits, queues, claiming: queues.map { ($0, 1) }, worker: "w1", for: time) { wake in
                if let name = wake.woken { woken.append(name) }
                failure = failure ?? wake.refusal
                for (place, answer) in wake.claims {
                    switch answer {
                    case .success(let answer): fetches[queues[place].name] = answer.fetches.count
                    case .failure(let error): failure = error
                    }
                }
            }
            if let failure { throw failure }
            return (woken, fetches)
        }.value
    }

    /// Waits until that many clients block at the server.
    func untilBlocked(_ count: Int = 1) async throws {
        try await Gate.until("\(count) wait") { try await server.command("CLIENT", "LIST").components(separatedBy: "cmd=bzpopmin").count == count + 1 }
    }

    /// Claims one fetch, or fails.
    func claim(_ worker: String = "w1") async throws -> ClaimedFetch {
        guard let fetch = try await queue.claim(worker: worker, count: 1).fetches.first else { throw TestFailure("nothing to claim") }
        return fetch
    }

    nonisolated static func made(_ digest: String, ttl: ResultTime = 60) -> RenditionOutcome {
        RenditionOutcome(digest, .success(info: ["key": .string(digest)], source: ["url": "u"], description: nil, time: ttl))
    }

    /// Finishes a run with all its renditions.
    @discardableResult
    func succeed(_ fetch: ClaimedFetch) async throws -> FinishAnswer {
        try await queue.finish(fetch.lease, .success(metrics: [:], fetch.renditions.map { Self.made($0.digest, ttl: fetch.resultTime) }))
    }

    nonisolated static let transient = TintypeError(.dns, .download, "no such host")
    nonisolated static let permanent = TintypeError(.httpStatus, .download, "404", retryable: false)
}
