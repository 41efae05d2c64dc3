import TintypeCore
import TintypeTransport
import TintypeQueue

/// The subscriptions of clients to events of others: forwards public channels of Redis as notifications. An event from these channels never
/// completes a receipt, because anybody may publish there.
@Loop
final class Subscriptions {
    /// The number of subscriptions that one client may have.
    static let perSession = 100

    private let registry: QueueRegistry
    private let channels: RedisChannels
    private let logger: Logger
    private let workers: WorkerWatch
    private let events: CoreEvents
    private var last = 0

    init(registry: QueueRegistry, channels: RedisChannels, events: CoreEvents, scope: TaskScope, logger: Logger) {
        (self.registry, self.channels, self.events, self.logger) = (registry, channels, events, logger)
        workers = WorkerWatch(registry: registry, scope: scope)
    }

    /// Begins a subscription and waits until Redis has confirmed it.
    /// - Parameters:
    ///   - receipts: The receipts whose events are sent.
    ///   - queue: The queue whose terminal events are sent.
    ///   - watchesWorkers: Whether changes of workers are sent.
    ///   - subjects: Subjects of features, each with the value of its parameter.
    /// - Returns: The id of the subscription.
    func add(
        receipts: [String], queue: String?, watchesWorkers: Bool, subjects: [(name: String, value: JSON)], for session: Session
    ) async throws(TintypeError) -> String {
        guard session.subscriptionCount < Self.perSession else {
            throw TintypeError(
                .limitExceeded, .admission, "this connection already has \(Self.perSession) subscriptions: end one by events.unsubscribe",
                details: ["limit": "subscriptions", "value": JSON(Self.perSession + 1), "allowed": JSON(Self.perSession)])
        }
        session.openingSubscriptions += 1
        defer { session.openingSubscriptions -= 1 }
        // An id that is named twice would be notified twice.
        let receipts = Set(receipts).sorted()
        // A subscription that needs nothing from Redis does not wait for it.
        let names = receipts.isEmpty && queue == nil ? [] : try await registry.names()
        if let queue, !names.contains(queue) { throw QueueRegistry.unknown(queue) }
        last += 1
        let id = "s\(last)"
        var wanted = (queue.map { registry.whole($0).parts.map(\.keys) } ?? []).map { (tag: $0.tag, channel: $0.publicEvents) }
        for keys in names.map(QueueKeys.init) { wanted += receipts.map { (keys.tag, keys.publicEvents(receipt: $0)) } }
        let listening = await listen(wanted, id: id, session: session)
        let watch = watchesWorkers ? workers.add { [weak session] in session?.notify($0(id), type: "workers") } : nil
        let watched = subjects.compactMap { events.subjects[$0.name]?.begin($0.value, id, session) }
        for one in watched { await one.untilConfirmed() }
        session.add(subscription: id) { [self] in
            for one in watched { one.end() }
            for one in listening { one.end() }
            if let watch { workers.remove(watch) }
        }
        // The client has disconnected or canceled the request meanwhile, so no one knows the id to end the subscription by.
        if !session.isOpen || Task.isCancelled { _ = session.remove(subscription: id) }
        return id
    }

    private func listen(_ wanted: [(tag: RedisTag, channel: String)], id: String, session: Session) async -> [PublicSubscription] {
        var left = wanted.count
        let ready = OneShot<Void>()
        var listening: [PublicSubscription] = []
        for (tag, channel) in wanted {
            var isConfirmed = false
            listening.append(
                PublicSubscription(
                    channel, of: tag, on: channels,
                    confirmed: {
                        guard !isConfirmed else { return }
                        isConfirmed = true
                        left -= 1
                        if left == 0 { ready.complete(.success(())) }
                    },
                    { [weak session] payload in
                        if let session, let notification = Self.notification(payload, id: id) { session.notify(notification, type: "subscription") }
                    }))
        }
        if left > 0 { try? await ready.wait(within: .seconds(2), orElse: .success(())) }
        return listening
    }

    /// Returns the notification for a public event; nil when the payload is not an event.
    nonisolated static func notification(_ payload: [UInt8], id: String) -> [UInt8]? {
        guard var event = (try? JSON(parsing: payload))?.object, event["receipt"]?.string != nil, event["type"]?.string != nil else { return nil }
        event["subscription"] = .string(id)
        return RPCAnswer.notification("image.event", params: JSON.object(event).bytes())
    }
}
