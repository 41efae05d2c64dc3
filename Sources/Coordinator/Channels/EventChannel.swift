import TintypeCore
package import TintypeTransport
import TintypeQueue

/// This coordinator's numbered channel of one queue: receives events, detects lost ones, and checks that the channel works.
///
/// Each `QueueTimes.greeting` a script sends a numbered ping down the channel, which also reveals the loss of the last message. Three of these
/// intervals without a message end the connection. A new connection begins by reading the state of everything pending. While Redis refuses the
/// subscription, the state is read every four seconds.
@Loop
package final class EventChannel {
    /// The interval of checks whether a message arrived: half the interval of pings.
    private var look: Duration { queue.times.greeting / 2 }
    package var silence: Duration { queue.times.greeting * 3 }

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
    /// Whether another ping follows the one under way.
    private var pingsAgain = false
    private var looks = 0
    /// The number of checks in a row at which the subscription was not confirmed.
    private var deaf = 0
    private let confirmation = Condition()

    /// Whether Redis has confirmed the subscription on the current connection.
    package var isConfirmed: Bool { subscription?.isConfirmed == true && subscriber.isConnected }

    private let listener: any QueueListener
    /// The handle of the channel's queue (`QueueHandle`).
    package weak var handle: QueueHandle?

    init(
        queue: Queue, listener: any QueueListener, coordinator: String, channels: RedisChannels, scope: TaskScope, metrics: Metrics, logger: Logger
    ) {
        self.queue = queue
        self.listener = listener
        self.coordinator = coordinator
        self.channels = channels
        self.scope = scope
        self.metrics = metrics
        self.logger = logger.with(["queue": queue.name])
    }

    package func start() {
        subscription = channels.subscribe(
            queue.keys.events(coordinator: coordinator), .sharded, of: queue.keys.tag, confirmed: { [weak self] in self?.confirmed() },
            { [weak self] _, payload in self?.received(payload) })
        timer = LoopTimer(after: look, repeating: true) { [weak self] in self?.beat() }
        ping()
    }

    package func stop() {
        if let subscription { channels.unsubscribe(subscription) }
        subscription = nil
        timer = nil
    }

    /// Waits for the confirmation, but at most `time`. A snapshot makes up for events before the confirmation.
    package func untilConfirmed(within time: Duration) async {
        if !isConfirmed { await confirmation.wait(within: time) }
    }

    private func confirmed() {
        heardAt = .now
        sequence.confirmed()
        confirmation.signal()
        reportGap()
        ping()
    }

    private func received(_ payload: [UInt8]) {
        heardAt = .now
        guard let event = QueueEvent(payload) else {
            logger.warning("ignoring a message on this coordinator's channel that is not from a script", ["bytes": payload.count])
            return
        }
        let verdict = sequence.received(Int64(event.number))
        if !event.isPing, let handle { listener.heard(event, on: handle) }
        if case .gap(let missed) = verdict {
            metrics.add(.eventGaps)
            logger.notice("events were lost; reading the state of pending receipts", ["missed": missed.map { "\($0)" } ?? "unknown"])
            reportGap()
        }
    }

    private func reportGap() { if let handle { listener.mayHaveMissed(on: handle) } }

    private func beat() {
        if isConfirmed, ContinuousClock.now - heardAt > silence {
            subscriber.reconnect("no message arrived on the channel of queue \(queue.name) for \(silence)")
        }
        // The Redis user may lack the permission to subscribe, or Redis has no free connection. Then the state is read every four seconds.
        deaf = isConfirmed || !queue.node.isConnected ? 0 : deaf + 1
        if deaf % 4 == 2 { reportGap() }
        looks += 1
        if looks % 2 == 0 { ping() }
    }

    /// Sends a heartbeat to the queue; also at each connect. Redis must know a coordinator to notice its death and cancel the receipts that it
    /// leaves behind.
    func ping() {
        // The one under way may have run before the subscription. Without a number since then, a Redis that has lost its data would not be noticed.
        guard !isPinging else { return pingsAgain = true }
        isPinging = true
        scope.run("ping \(queue.name)") { [weak self] in
            guard let self else { return }
            do throws(RedisError) {
                let greeting = try await self.queue.greet(coordinator: self.coordinator, counted: self.listener.counted(of: self.queue.name))
                if let handle = self.handle { self.listener.greeted(greeting, on: handle) }
            } catch {
                // A queue of another schema sends no pings on this channel, and the connection is shared with other queues. If Redis is
                // unreachable, its client logs that, and the next connection tries again.
                if case .foreignQueue = error { self.heardAt = .now }
            }
            self.isPinging = false
            if self.pingsAgain {
                self.pingsAgain = false
                self.ping()
            }
        }
    }
}
