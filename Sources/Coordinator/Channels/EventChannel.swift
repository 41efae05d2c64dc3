import TintypeCore
import TintypeTransport
import TintypeQueue

/// This coordinator's numbered channel of one queue: hears events, notices what was lost, and makes sure it hears at all.
///
/// Each `QueueTimes.greeting` a script sends a numbered ping down the channel, which shows also the loss of the last message; three of them without
/// hearing anything end the connection, and the new one begins with the state of everything pending. While Redis does not let it listen, that state is
/// read each four seconds.
@Loop
final class EventChannel {
    /// Half the time between two pings: how often it is looked whether anything was heard.
    private var look: Duration { queue.times.greeting / 2 }
    var silence: Duration { queue.times.greeting * 3 }

    private let queue: Queue
    private let coordinator: String
    private let channels: RedisChannels
    private var subscriber: RedisSubscriber { channels.subscriber(for: queue.keys.tag) }
    private let scope: TaskScope
    private let metrics: Metrics
    private let logger: Logger
    private var sequence = EventSequence()
    private var subscription: RedisSubscription?
    private var timer: LoopTimer?
    private var heardAt = ContinuousClock.now
    private var isPinging = false
    private var looks = 0
    /// Looks in a row at which Redis had not confirmed the subscription.
    private var deaf = 0
    private var waiting: [OneShot<Void>] = []

    /// Whether Redis has confirmed the subscription on the present connection.
    var isConfirmed: Bool { subscriber.isConnected && subscription?.isConfirmed == true }

    private let listener: any LaneListener
    /// The lane that it is the channel of (`Lane`).
    weak var lane: Lane?

    init(
        queue: Queue, listener: any LaneListener, coordinator: String, channels: RedisChannels, scope: TaskScope, metrics: Metrics, logger: Logger
    ) {
        self.queue = queue
        self.listener = listener
        self.coordinator = coordinator
        self.channels = channels
        self.scope = scope
        self.metrics = metrics
        self.logger = logger.with(["queue": queue.name])
    }

    func start() {
        subscription = channels.subscribe(
            queue.keys.events(coordinator: coordinator), of: queue.keys.tag, confirmed: { [weak self] in self?.confirmed() },
            { [weak self] _, payload in self?.received(payload) })
        timer = LoopTimer(after: look, repeating: true) { [weak self] in self?.beat() }
        ping()
    }

    func stop() {
        if let subscription { channels.unsubscribe(subscription) }
        subscription = nil
        timer = nil
    }

    /// Waits for the confirmation, but no longer than `time`: events before it are made up for by a snapshot.
    func untilConfirmed(within time: Duration) async {
        guard !isConfirmed else { return }
        let ready = OneShot<Void>()
        waiting.append(ready)
        let timer = LoopTimer(after: time) { ready.complete(.success(())) }
        defer { timer.cancel() }
        try? await ready.wait()
    }

    private func confirmed() {
        heardAt = .now
        sequence.confirmed()
        let ready = waiting
        waiting = []
        for waiter in ready { waiter.complete(.success(())) }
        tellGap()
        ping()
    }

    private func received(_ payload: [UInt8]) {
        heardAt = .now
        guard let event = QueueEvent(payload) else {
            logger.warning("a message that no script has sent on this coordinator's channel", ["bytes": payload.count])
            return
        }
        let verdict = sequence.received(Int64(event.number))
        if !event.isPing, let lane { listener.heard(event, on: lane) }
        if case .gap(let missed) = verdict {
            metrics.add(.eventGaps)
            logger.notice("events were lost; reading the state of what is pending", ["missed": missed.map { "\($0)" } ?? "unknown"])
            tellGap()
        }
    }

    private func tellGap() { if let lane { listener.mayHaveMissed(on: lane) } }

    private func beat() {
        if isConfirmed, ContinuousClock.now - heardAt > silence {
            subscriber.reconnect("nothing came down the channel of queue \(queue.name) for \(silence)")
        }
        // The user may not listen, perhaps, or there is no room for the connection: then Redis is asked, each four seconds.
        deaf = isConfirmed || !queue.node.isConnected ? 0 : deaf + 1
        if deaf % 4 == 2 { tellGap() }
        looks += 1
        if looks % 2 == 0 { ping() }
    }

    /// Greets: at each connect, too. A coordinator of which Redis has never heard could not be missed, nor what it leaves behind be withdrawn.
    func ping() {
        guard !isPinging else { return }
        isPinging = true
        scope.run("ping \(queue.name)") { [weak self] in
            guard let self else { return }
            do throws(RedisError) {
                let greeting = try await self.queue.greet(coordinator: self.coordinator, counted: self.listener.counted(of: self.queue.name))
                if let lane = self.lane { self.listener.greeted(greeting, on: lane) }
            } catch {
                // Nothing comes down this channel then, and the connection is that of all others, too. Out of reach: the clients of Redis say so
                // in the log, and this is tried again with the next connection.
                if case .foreignQueue = error { self.heardAt = .now }
            }
            self.isPinging = false
        }
    }
}
