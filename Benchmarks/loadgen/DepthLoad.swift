import TintypeCore
import TintypeTransport
import TintypeQueue

/// Times a submit and a claim on a queue of its own: first on an empty queue, then with many waiting fetches. Only the queue's scripts run, one by
/// one, on one connection.
@Loop
final class DepthLoad {
    private let queue: Queue
    private let redis: RedisClient
    private let depth: Int
    private let rounds: Int
    private var made = 0

    private static let hosts = 200

    init(_ options: Options) throws {
        redis = RedisClient(
            try RedisEndpoint(options.text("redis", "redis://127.0.0.1:6379")), name: "loadgen", logger: Logger(label: "loadgen", level: .error),
            scripts: QueueScripts.shipped.all)
        queue = Queue(name: "depth-\(Digest.randomHex(bytes: 4))", redis: RedisNodes(redis))
        depth = options.number("queued", 100_000)
        rounds = options.number("count", 2000)
    }

    func run() async throws -> String {
        redis.start()
        try await redis.untilConnected(within: .seconds(10))
        defer { redis.stop() }
        _ = try await queue.configure(QueueChange(maxQueued: 10_000_000))
        _ = try await measure()
        let empty = try await measure()
        let before = try await memory()
        try await fill()
        let bytes = (try await memory() - before) / depth
        let full = try await measure()
        return """
            mode=depth queued=\(depth) \(empty.submits.words(of: "empty_submit_")) \(empty.claims.words(of: "empty_claim_")) \
            \(full.submits.words(of: "full_submit_")) \(full.claims.words(of: "full_claim_")) bytes_each=\(bytes)
            """
    }

    private func submission() -> Submission {
        made += 1
        let host = "host\(made % Self.hosts).test"
        var submission = Submission(
            receipt: "d-\(made)", coordinator: "loadgen", fingerprint: "f", source: "s-\(made)", host: host,
            fetch: #"{"urls":["http://\#(host)/\#(made).jpg"]}"#,
            renditions: [.init(name: "default", digest: Digest.sha256Hex("\(made)".utf8), json: #"{"name":"default"}"#)])
        submission.deadlineSeconds = 3600
        submission.resultTime = 0
        submission.priority = made % 3
        return submission
    }

    /// Submits and claims one fetch in each round, so that the depth stays the same.
    private func measure() async throws -> (submits: Latencies, claims: Latencies) {
        var submits = Latencies()
        var claims = Latencies()
        for _ in 0..<rounds {
            let submission = submission()
            let start = ContinuousClock.now
            _ = try await queue.submit(submission)
            let submitted = ContinuousClock.now
            let answer = try await queue.claim(worker: "loadgen", count: 1)
            claims.add(.now - submitted)
            submits.add(submitted - start)
            for fetch in answer.fetches { _ = try await queue.finish(fetch.lease, .failure(Self.failure, retryAfter: nil)) }
        }
        return (submits, claims)
    }

    /// The failure with the shortest path to an end.
    private static let failure = TintypeError(.httpStatus, .download, "404", retryable: false)

    private func fill() async throws {
        let inFlight = 64
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<inFlight { group.addTask { try await self.submit(part: part, of: inFlight) } }
            try await group.waitForAll()
        }
    }

    private func submit(part: Int, of inFlight: Int) async throws {
        for _ in stride(from: part, to: depth, by: inFlight) { _ = try await queue.submit(submission()) }
    }

    private func memory() async throws -> Int {
        let text = try await redis.command(["INFO", "memory"]).string ?? ""
        let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("used_memory:") } ?? ""
        return Int(line.dropFirst(12)) ?? 0
    }
}
