package import TintypeCore
package import TintypeTransport
package import TintypeImages
package import TintypeQueue

/// A listener to the channels of queues.
@Loop
protocol QueueListener: AnyObject {
    /// Handles an event. Each event arrives once, in order.
    func heard(_ event: QueueEvent, on handle: QueueHandle)
    /// Handles a possible loss of events: after each confirmation, at each gap, and repeatedly while the channel does not work.
    func mayHaveMissed(on handle: QueueHandle)
    /// Returns the number of requests that this coordinator counts as activity, for the queue that collects these numbers; nil for other queues.
    func counted(of queue: String) -> Int?
    /// Handles the queue's answer to a heartbeat.
    func greeted(_ greeting: HeartbeatAnswer, on handle: QueueHandle)
}

/// The handle of one queue in this coordinator, or of one shard of a queue: its scripts, and the channel of its events.
@Loop
package final class QueueHandle {
    package let name: String
    /// The name of the queue as clients know it; another one than `name` for a shard.
    package let queueName: String
    package let queue: Queue
    package let channel: EventChannel
    /// The number of times that events may have been lost on its channel.
    var breaks = 0
    /// The receipts of this queue in flight that count as activity.
    package var inFlight = 0
    /// The number of running receipts while the queue is paused, because waiting ones are not worked on then. nil while the queue is not paused.
    package var runningWhilePaused: Int?

    /// The queue's part of the shown activity.
    package var active: Int { min(runningWhilePaused ?? .max, inFlight) }

    init(queue: Queue, channel: EventChannel) {
        name = queue.name
        queueName = queue.publicName
        self.queue = queue
        self.channel = channel
        channel.handle = self
    }
}

/// The queues that this coordinator knows. `default` exists from the start, others are opened at first use.
@Loop
package final class QueueRegistry {
    package let redis: RedisNodes
    package let coordinator: String
    /// The times after which each queue treats a silent coordinator or worker as dead.
    package let times: QueueTimes
    /// Whether Redis has told the names of all queues and shards.
    private(set) var hasListed = false
    /// Returns the operator's limits for hosts.
    package var rules: @Loop () -> HostLimits = { HostLimits() }
    private let makeChannel: @Loop (Queue) -> EventChannel
    private var registry: [String: QueueHandle] = [:]
    private var queues: [String: Queue] = [:]
    /// The names of all queues and shards as Redis last told them.
    private var listed = ["default"]
    /// The queues with several shards, as Redis last told them. While a coordinator does not know of new shards, its fetches go to the first one.
    package private(set) var sharded: [String: ShardedQueue] = [:]

    init(redis: RedisNodes, coordinator: String, times: QueueTimes, makeChannel: @escaping @Loop (Queue) -> EventChannel) {
        self.times = times
        self.redis = redis
        self.coordinator = coordinator
        self.makeChannel = makeChannel
    }

    package var all: some Collection<QueueHandle> { registry.values }
    subscript(name: String) -> QueueHandle? { registry[name] }

    /// Returns the scripts of a queue, whether or not the queue exists.
    package func queue(_ name: String) -> Queue {
        if let known = queues[name] { return known }
        let queue = Queue(name: name, redis: redis, times: times)
        // Clients choose these names, so only the queues in use are kept.
        if registry[name] != nil || name == "default" { queues[name] = queue }
        return queue
    }

    /// Begins to listen to a queue's events, without a check that the queue exists.
    @discardableResult
    package func open(existing name: String) -> QueueHandle {
        if let handle = registry[name] { return handle }
        let queue = queue(name)
        let handle = QueueHandle(queue: queue, channel: makeChannel(queue))
        registry[name] = handle
        queues[name] = queue
        handle.channel.start()
        return handle
    }

    /// Returns the handle of a queue that a client names.
    /// - Parameter limit: The time until which it waits for Redis; nil: no wait.
    /// - Throws: `unknownQueue`, or `unavailable` when Redis is unreachable.
    package func open(_ name: String, until limit: ContinuousClock.Instant? = nil) async throws(TintypeError) -> QueueHandle {
        if let handle = registry[name] { return handle }
        guard try await names(until: limit).contains(name) else { throw Self.unknown(name) }
        let handle = open(existing: name)
        await handle.channel.untilConfirmed(within: .seconds(1))
        return handle
    }

    /// Returns the handle of the shard for a fetch of a queue that a client names. In most queues there is one shard.
    /// - Parameters:
    ///   - source: The digest of the source.
    ///   - limit: The time until which it waits for Redis; nil: no wait.
    /// - Throws: As above.
    package func open(
        _ name: String, forHost host: String, source: String, until limit: ContinuousClock.Instant? = nil
    ) async throws(TintypeError) -> QueueHandle {
        let handle = try await open(name, until: limit)
        // A coordinator that has just started does not know shards yet.
        if !hasListed { _ = try await names(until: limit) }
        let shard = shard(of: name, forHost: host, source: source)
        guard shard != name else { return handle }
        if let known = registry[shard] { return known }
        let opened = open(existing: shard)
        await opened.channel.untilConfirmed(within: .seconds(1))
        return opened
    }

    /// Returns the name of the shard for a fetch of a queue; the queue's own name if it has one shard.
    package func shard(of name: String, forHost host: String, source: String) -> String {
        sharded[name]?.shard(ofHost: host, source: source, rules: rules()) ?? name
    }

    /// Returns the names of all queues, and those of shards.
    /// - Parameter limit: The time until which it waits for Redis; nil: no wait.
    package func names(until limit: ContinuousClock.Instant? = nil) async throws(TintypeError) -> [String] {
        try await RedisError.translating { () async throws(RedisError) in
            let read = try await redis.node(for: QueueKeys.shared).retrying(RedisPatience(until: limit ?? .now)) { () async throws(RedisError) in
                let names = try await Queue.names(redis)
                return (names: names, sharded: try await Queue.sharded(among: names, known: sharded, redis))
            }
            let lost = sharded.values.filter { read.sharded[$0.name] == nil }
            (listed, hasListed) = (read.names, true)
            sharded.merge(read.sharded) { $1 }
            // Redis has lost its data. Receipts that are submitted again go to these shards.
            for var one in lost {
                // A queue without shards has lost its pause too.
                one.paused = false
                sharded[one.name] = one
                try await one.restore(redis) { queue($0) }
                listed += one.shards.filter { !listed.contains($0) }
            }
            return listed
        }
    }

    /// Returns a queue with all its shards, as they were last told, whether or not the queue exists.
    package func whole(_ name: String) -> WholeQueue {
        let shards = listed.filter { ShardNames.isShard($0) && ShardNames.queue(of: $0) == name }
        return WholeQueue(name: name, parts: ([name] + shards).map { queue($0) }, sharded: sharded[name])
    }

    /// Returns all queues, each with its shards.
    /// - Throws: `unavailable` when Redis is unreachable.
    package func wholes() async throws(TintypeError) -> [WholeQueue] { try await names().filter { !ShardNames.isShard($0) }.map { whole($0) } }

    /// Runs `body` with each queue as a whole, except those whose keys have another schema.
    func eachWhole(_ body: @Loop (WholeQueue) async throws(RedisError) -> Void) async throws(TintypeError) {
        let wholes = try await wholes()
        try await RedisError.translating { () async throws(RedisError) in
            for whole in wholes { try await Queue.each(of: [whole.parts[0]], among: wholes.count) { _ throws(RedisError) in try await body(whole) } }
        }
    }

    /// Returns the names of all queues for the upkeep of each. They are as last told while the server that lists them is away: it may not be that of a queue.
    package func upkept() async -> [String] { (try? await names()) ?? listed }

    /// Runs `body` with every queue, except those whose keys have another schema.
    package func each(_ body: @Loop (Queue) async throws(RedisError) -> Void) async throws(RedisError) {
        try await Queue.each(of: try await Queue.names(redis).map { queue($0) }, body)
    }

    package func stop() { for handle in registry.values { handle.channel.stop() } }

    package static func unknown(_ name: String) -> TintypeError {
        TintypeError(.unknownQueue, .queue, "there is no queue \(name.cut(to: 80)); queue.configure creates one", details: ["queue": .string(name)])
    }
}
