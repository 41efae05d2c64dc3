import TintypeCore
import TintypeTransport
import TintypeQueue

/// Told of what comes down the channels of queues.
@Loop
protocol LaneListener: AnyObject {
    /// An event; each once, in order.
    func heard(_ event: QueueEvent, on lane: Lane)
    /// Events may have been lost: after each confirmation, at each gap, and now and then while nothing can be heard.
    func mayHaveMissed(on lane: Lane)
    /// How many requests this coordinator counts as work, where the queue is asked what all count; nil elsewhere.
    func counted(of queue: String) -> Int?
    /// Its queue has answered a greeting.
    func greeted(_ greeting: Greeting, on lane: Lane)
}

/// One queue as this coordinator uses it: its scripts, and the channel its events come by.
@Loop
final class Lane {
    let name: String
    let queue: Queue
    let channel: EventChannel
    /// How often events may have been lost on its channel.
    var breaks = 0
    /// Receipts of it in flight that count as work.
    var inFlight = 0
    /// How many of them run, while it is paused: what waits there is not worked on. nil while it is not paused.
    var runningWhilePaused: Int?

    /// Its share of what is shown as work.
    var active: Int { min(runningWhilePaused ?? .max, inFlight) }

    init(queue: Queue, channel: EventChannel) {
        name = queue.name
        self.queue = queue
        self.channel = channel
        channel.lane = self
    }
}

/// The queues this coordinator knows. `default` is there from the start, others when they are first used.
@Loop
final class Lanes {
    let redis: RedisNodes
    let coordinator: String
    /// How long each queue bears with whoever is silent.
    let times: QueueTimes
    private let makeChannel: @Loop (Queue) -> EventChannel
    private var lanes: [String: Lane] = [:]
    private var queues: [String: Queue] = [:]

    init(redis: RedisNodes, coordinator: String, times: QueueTimes, makeChannel: @escaping @Loop (Queue) -> EventChannel) {
        self.times = times
        self.redis = redis
        self.coordinator = coordinator
        self.makeChannel = makeChannel
    }

    var all: some Collection<Lane> { lanes.values }
    subscript(name: String) -> Lane? { lanes[name] }

    /// The scripts of a queue, whether or not it exists.
    func queue(_ name: String) -> Queue {
        if let known = queues[name] { return known }
        let queue = Queue(name: name, redis: redis, times: times)
        // Names come from strangers; only those in use are kept.
        if lanes[name] != nil || name == "default" { queues[name] = queue }
        return queue
    }

    /// Starts to listen to a queue's events, without asking whether it exists.
    @discardableResult
    func open(existing name: String) -> Lane {
        if let lane = lanes[name] { return lane }
        let queue = queue(name)
        let lane = Lane(queue: queue, channel: makeChannel(queue))
        lanes[name] = lane
        queues[name] = queue
        lane.channel.start()
        return lane
    }

    /// The lane of a queue that somebody asks for.
    /// - Parameter limit: how long Redis is waited for; nil: it is not.
    /// - Throws: `unknownQueue`, or `unavailable` when Redis cannot be asked.
    func open(_ name: String, until limit: ContinuousClock.Instant? = nil) async throws(TintypeError) -> Lane {
        if let lane = lanes[name] { return lane }
        guard try await names(until: limit).contains(name) else { throw Self.unknown(name) }
        let lane = open(existing: name)
        await lane.channel.untilConfirmed(within: .seconds(1))
        return lane
    }

    /// The names of all queues.
    /// - Parameter limit: how long Redis is waited for; nil: it is not.
    func names(until limit: ContinuousClock.Instant? = nil) async throws(TintypeError) -> [String] {
        do throws(RedisError) {
            return try await redis.node(for: QueueKeys.shared).retrying(RedisPatience(until: limit ?? .now)) { () async throws(RedisError) in
                try await Queue.names(redis)
            }
        } catch {
            throw TintypeError(error)
        }
    }

    /// Does something with every queue, but for those whose keys are of another schema.
    func each(_ body: @Loop (Queue) async throws(RedisError) -> Void) async throws(RedisError) {
        try await Queue.each(of: try await Queue.names(redis).map { queue($0) }, body)
    }

    func stop() { for lane in lanes.values { lane.channel.stop() } }

    static func unknown(_ name: String) -> TintypeError {
        TintypeError(
            .unknownQueue, .queue, "there is no queue \(name.prefix(80)); queue.configure creates one", details: ["queue": .string(name)])
    }
}
