package import Coordinator
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

extension Feature {
    /// How many workers a queue has use for: `GET /scale`.
    package static let scaling: Maker = { core, _ in
        let scale = ScaleRoute(core.queues.registry, core.process.scope)
        var feature = Feature()
        feature.routes = [Route("scale", ["GET", "HEAD"], .exact("/scale"), .open, maxBody: BodyAdmission.maxOther) { scale.serve($0, $1) }]
        feature.parts = [scale]
        return feature
    }
}

/// `GET /scale`: how many workers a queue has use for, for an autoscaler.
///
/// The route is open, as `/metrics` is, and says nothing that is not there. Strangers may ask as often as they like.
/// Redis is asked for one thing at a time, and its answer about a queue is kept for a moment.
@Loop
final class ScaleRoute {
    private let registry: QueueRegistry
    private let scope: TaskScope
    private var names: (known: Set<String>, at: Double)?
    private var loads: [String: (load: WantedWorkers.Load, at: Double)] = [:]
    private var waiting: [(question: ScaleQuestion, answer: @Loop (WebAnswer) -> Void)] = []
    private var isLooking = false
    /// How long a state is kept, in seconds.
    var freshness = 1.0

    init(_ registry: QueueRegistry, _ scope: TaskScope) { (self.registry, self.scope) = (registry, scope) }

    /// - Parameter answer: Called once.
    func serve(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let question: ScaleQuestion
        do throws(TintypeError) { question = try ScaleQuestion(exchange.query) } catch { return answer(.failure(400, error)) }
        waiting.append((question, answer))
        guard !isLooking else { return }
        isLooking = true
        scope.run("scale") { [self] in
            while !waiting.isEmpty { await answerNext() }
            isLooking = false
        }
    }

    private func answerNext() async {
        let (question, answer) = waiting.removeFirst()
        do throws(TintypeError) {
            guard let load = try await load(of: question.queue) else { return answer(.failure(404, QueueRegistry.unknown(question.queue))) }
            let wanted = WantedWorkers(for: load, within: question.bounds, permits: question.permits, patience: question.patience)
            let body: JSON = [
                "queue": .string(question.queue), "wanted": JSON(wanted.count), "workers": JSON(load.permits.count), "permits": JSON(wanted.permits),
                "queued": JSON(load.queued), "delayed": JSON(load.delayed), "running": JSON(load.running),
                "oldestSeconds": load.oldestSeconds.map { JSON($0) } ?? .null,
            ]
            answer(.json(200, body, headers: [("Cache-Control", "no-store")]))
        } catch {
            // Those behind it would wait for the same Redis, one after the other.
            let all = [answer] + waiting.map(\.answer)
            waiting = []
            for answer in all { answer(.failure(503, error)) }
        }
    }

    /// Returns the state of a queue; nil if there is no such queue.
    private func load(of name: String) async throws(TintypeError) -> WantedWorkers.Load? {
        let now = Seconds.monotonic
        if names.map({ now - $0.at >= freshness }) ?? true {
            let known = Set(try await registry.names())
            loads = loads.filter { known.contains($0.key) }
            names = (known, now)
        }
        guard names?.known.contains(name) == true else { return nil }
        if let kept = loads[name], now - kept.at < freshness { return kept.load }
        do throws(RedisError) {
            guard let load = try await read(registry.whole(name)) else { return nil }
            loads[name] = (load, now)
            return load
        } catch {
            throw TintypeError(error)
        }
    }

    private func read(_ whole: WholeQueue) async throws(RedisError) -> WantedWorkers.Load? {
        guard let info = try await whole.info(hosts: false) else { return nil }
        // Each of its workers serves the first shard.
        let queue = whole.parts[0]
        let silent = try await queue.clock() - registry.times.lease.milliseconds
        let claiming = try await queue.workers().filter { $0.seen >= silent && $0.info["state"]?.string == "running" }
        return WantedWorkers.Load(
            queued: info.queued, delayed: info.delayed, running: info.running, oldestSeconds: info.oldestQueuedSeconds,
            maxConcurrent: info.limits.maxConcurrent, isPaused: info.paused,
            permits: claiming.compactMap { $0.info["slots"]?.int.map { min(max($0, 0), ScaleQuestion.mostPermits) } })
    }
}

/// The question of a request for `/scale`: which queue, and how its workers are counted. Pure.
struct ScaleQuestion: Sendable, Hashable {
    let queue: String
    /// The least and the most workers that may be answered.
    let bounds: ClosedRange<Int>
    /// The permits of one worker; nil for those of the live workers.
    let permits: Int?
    /// The age of the oldest fetch, in seconds, from which more workers are wanted than are there.
    let patience: Double

    /// The most permits of a worker.
    static let mostPermits = 4096
    private static let most = 10_000
    private static let parameters = [
        ParameterDescription("queue", ImageRequest.queueType, default: "default", "The queue's name."),
        ParameterDescription("min", .integer(0...most), default: 0, "The least number of workers to answer."),
        ParameterDescription("max", .integer(0...most), default: JSON(most), "The most."),
        ParameterDescription("permits", .integer(1...mostPermits), "The permits of one worker."),
        ParameterDescription("patience", .integer(0...3600), default: 5, "Seconds that the oldest fetch may wait before further workers are wanted."),
    ]

    /// - Throws: `invalidParams` with the name of the parameter.
    init(_ query: [String: String]) throws(TintypeError) {
        let numbers = query.filter { $0.key != "queue" }.mapValues { text in Int(text).map { JSON($0) } ?? .string(text) }
        let params = JSONObject(query.sorted { $0.key < $1.key }.map { ($0.key, numbers[$0.key] ?? .string($0.value)) })
        try ParameterDescription.validate(params, Self.parameters, at: "")
        let least = params["min"]?.int ?? 0
        let most = params["max"]?.int ?? Self.most
        guard least <= most else { throw .invalidParams(path: "max", value: JSON(most), expected: "a number of at least min, which is \(least)") }
        queue = query["queue"] ?? "default"
        bounds = least...most
        permits = params["permits"]?.int
        patience = params["patience"]?.double ?? WantedWorkers.usualPatience
    }
}
