import Glibc
import TintypeCore
import TintypeTransport

/// Measures the cost of many waiting receipts for a coordinator, its Redis and the other clients.
///
/// A paused queue of its own is filled through the coordinator. While receipts wait, nothing else happens for some seconds (idle CPU). Then pings
/// and loads in the queue `default` are timed. At the end, all receipts reach their deadline in the same second, or the queue resumes and all of
/// them are worked off. Either way is timed until the last one has ended.
@Loop
final class BacklogLoad {
    private let address: SocketAddress
    private let redis: RedisClient
    private let depth: Int
    private let calm: Int
    private let coordinatorID: Int
    private let redisID: Int
    private let queue: String
    /// Whether a worker that serves the queue works off the receipts, instead of letting them become late.
    private let isWorkedOff: Bool
    private var due = ContinuousClock.now

    init(_ address: SocketAddress, _ options: Options) throws {
        self.address = address
        redis = RedisClient(
            try RedisEndpoint(options.text("redis", "redis://127.0.0.1:6379")), name: "loadgen", logger: Logger(label: "loadgen", level: .error))
        depth = options.number("queued", 100_000)
        calm = options.number("seconds", 10)
        coordinatorID = options.number("coordinator-pid", 0)
        redisID = options.number("redis-pid", 0)
        queue = options.text("queue", "backlog-\(Digest.randomHex(bytes: 4))")
        isWorkedOff = options.text("end", "late") == "work"
        // Filling takes long, but all receipts must end together.
        due = .now + .seconds(options.number("due", isWorkedOff ? 86_000 : 60 + depth / 1500))
    }

    func run() async throws -> String {
        redis.start()
        try await redis.untilConnected(within: .seconds(10))
        defer { redis.stop() }
        let beside = try BesideProcess(address)
        defer { beside.stop() }
        try await beside.untilReady()
        _ = try await redis.command(["CONFIG", "SET", "slowlog-log-slower-than", "2000"])
        _ = try await redis.command(["CONFIG", "SET", "slowlog-max-len", "100000"])
        _ = try await redis.command(["SLOWLOG", "RESET"])
        let before = (rss: rss(), used: try await memory())
        beside.start()
        let fill = Filling(try await LoadConnection.connect(address), queue: queue, depth: depth, due: due, isMade: isWorkedOff)
        let filled = try await fill.run()
        let filling = try await beside.take()
        beside.pause()
        // The deferred work of the fill is done now.
        try await Loop.sleep(.seconds(3))
        let waiting = (rss: rss(), used: try await memory())
        let cpu = (ticks(coordinatorID), ticks(redisID))
        try await Loop.sleep(.seconds(calm))
        let idle = (ticks(coordinatorID) - cpu.0, ticks(redisID) - cpu.1)
        beside.start()
        try await Loop.sleep(.seconds(calm))
        let wait = try await beside.take()
        let slowest = try await slowest()
        let rest = due - .now
        if isWorkedOff { fill.goOn() } else if rest > .zero { try await Loop.sleep(rest) }
        let begun = ContinuousClock.now
        try await fill.untilEnded()
        let ended = ContinuousClock.now - begun
        let ending = try await beside.take()
        let each = Double(max(1, depth))
        let perSecond = 100 / Double(sysconf(Int32(_SC_CLK_TCK)))
        return """
            mode=backlog queued=\(depth) end=\(isWorkedOff ? "work" : "late") submits_per_s=\(rate(depth, filled)) ended_per_s=\(rate(depth, ended)) failures=\(fill.failures) \
            rss_per_receipt=\(Int(Double(waiting.rss - before.rss) / each)) redis_per_receipt=\(Int(Double(waiting.used - before.used) / each)) \
            idle_coordinator_percent=\(Self.tenths(Double(idle.0) * perSecond / Double(calm))) \
            idle_redis_percent=\(Self.tenths(Double(idle.1) * perSecond / Double(calm))) slowest_script_ms=\(slowest) \
            slowest_script_at_end_ms=\(try await self.slowest()) \
            \(filling.named("fill_")) \(wait.named("wait_")) \(ending.named("end_"))
            """
    }

    private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    private func memory() async throws -> Int {
        let text = try await redis.command(["INFO", "memory"]).string ?? ""
        let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("used_memory:") } ?? ""
        return Int(line.dropFirst(12)) ?? 0
    }

    /// Returns the longest time that Redis was busy with one command, in milliseconds.
    private func slowest() async throws -> Double {
        let entries = try await redis.command(["SLOWLOG", "GET", "-1"]).array ?? []
        let times = entries.compactMap { $0.array.flatMap { $0.count > 3 && $0[3].array?.first?.string?.uppercased() != "SLOWLOG" ? $0[2].int : nil } }
        return Double(times.max() ?? 0) / 1000
    }

    private func rss() -> Int {
        Int(Self.words(coordinatorID, "statm").dropFirst().first ?? "").map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) } ?? 0
    }

    /// Returns the user and system time of a process, in clock ticks.
    private func ticks(_ process: Int) -> Int {
        let words = Self.words(process, "stat")
        return words.count > 14 ? (Int(words[13]) ?? 0) + (Int(words[14]) ?? 0) : 0
    }

    private static func words(_ process: Int, _ name: String) -> [Substring] {
        guard let file = fopen("/proc/\(process)/\(name)", "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self).split { $0 == " " || $0 == "\n" }
    }
}

/// Fills a paused queue from one connection, and counts the ends.
@Loop
private final class Filling {
    private let peer: LoadConnection
    private let queue: String
    private let depth: Int
    private let due: ContinuousClock.Instant
    /// Whether the requests work without an origin.
    private let isMade: Bool
    private let run_ = Digest.randomHex(bytes: 4)
    private var next = 0
    private var answered = 0
    private var ended = 0
    private(set) var failures = 0
    /// The ids of requests that are not submits, above the ids of all submits.
    private static let (configuring, pausing, resuming) = (1 << 40, (1 << 40) + 1, (1 << 40) + 2)
    private let configured = OneShot<Void>()
    private let paused = OneShot<Void>()
    private let submitted = OneShot<Void>()
    private let done = OneShot<Void>()

    init(_ peer: LoadConnection, queue: String, depth: Int, due: ContinuousClock.Instant, isMade: Bool) {
        (self.peer, self.queue, self.depth, self.due, self.isMade) = (peer, queue, depth, due, isMade)
    }

    /// Lets workers claim the waiting fetches.
    func goOn() { peer.send(Self.resuming, "queue.resume", Array(#"{"queue":"\#(queue)"}"#.utf8)) }

    /// - Returns: The time that the submits took.
    func run() async throws -> Duration {
        peer.onAnswer = { [unowned self] number, text in answer(number, text) }
        peer.onNotification = { [unowned self] _ in
            ended += 1
            if ended == depth { done.complete(.success(())) }
        }
        peer.send(Self.configuring, "queue.configure", Array(#"{"queue":"\#(queue)","maxQueued":10000000}"#.utf8))
        try await configured.wait()
        peer.send(Self.pausing, "queue.pause", Array(#"{"queue":"\#(queue)"}"#.utf8))
        try await paused.wait()
        let start = ContinuousClock.now
        guard depth > 0 else { return .zero }
        for _ in 0..<min(128, depth) { send() }
        try await submitted.wait()
        return .now - start
    }

    func untilEnded() async throws { if depth > 0 { try await done.wait() } }

    private func answer(_ number: Int, _ text: [UInt8]) {
        let isRefused = String(decoding: text.prefix(60), as: UTF8.self).contains("\"error\"")
        if isRefused, failures == 0 {
            Logger(label: "loadgen", level: .warning).warning("a request is refused", ["answer": String(decoding: text.prefix(400), as: UTF8.self)])
        }
        if number >= Self.configuring, isRefused { failures += 1 }
        switch number {
        case Self.configuring:
            configured.complete(.success(()))
            return
        case Self.resuming: return
        case Self.pausing:
            paused.complete(.success(()))
            return
        default: break
        }
        if isRefused {
            failures += 1
            // A refused request has no end of its own.
            ended += 1
        }
        answered += 1
        if answered == depth { submitted.complete(.success(())) }
        if ended == depth { done.complete(.success(())) }
        if next < depth { send() }
    }

    private func send() {
        let left = max(1, (due - .now) / .seconds(1))
        let url = "https://images-\(next % 200).example.org/photos/\(run_)/\(next).jpg"
        let work =
            isMade
            ? #""url":"data:,\#(run_)-\#(next)","as":"bytes","cache":{"read":[],"write":[],"ttl":0}"#
            : #""url":"\#(url)","transform":[{"op":"resize","width":320,"height":240}]"#
        let params = #"{\#(work),"queue":"\#(queue)","deadline":\#(left)}"#
        peer.send(next, "image.submit", Array(params.utf8))
        next += 1
    }
}
