import Coordinator
import TintypeCore
import TintypeTransport
import TintypeQueue

/// Listens to the ends of all receipts while somebody looks at them, and for a while afterwards. Lives on the loop.
///
/// Nobody pays for it otherwise. Some of very many successes a second are left out, since nobody could look at all of them.
@Loop
final class RecentEndsWatch {
    private let registry: QueueRegistry
    private let channels: RedisChannels
    private let scope: TaskScope
    private var ends = RecentEnds()
    private var subscriptions: [String: PublicSubscription] = [:]
    private var timer: LoopTimer?
    private var lastLook = ContinuousClock.now
    /// The successes and failures that may still be read in this second.
    private var room = (successes: 0, failures: 0)

    /// How long it listens after the last look.
    static let linger = Duration.seconds(120)
    private static let successes = 20
    private static let failures = 50
    /// The bytes of an event that have its type.
    private static let head = 400

    init(registry: QueueRegistry, channels: RedisChannels, scope: TaskScope) { (self.registry, self.channels, self.scope) = (registry, channels, scope) }

    func stop() {
        timer = nil
        for subscription in subscriptions.values { subscription.end() }
        subscriptions = [:]
    }

    /// The newest pictures (`RecentEnds.pictures`).
    func pictures(_ limit: Int, host: String? = nil, after: String? = nil) -> [JSON] {
        look()
        return ends.pictures(limit, host: host, after: after)
    }

    func failures(_ limit: Int) -> [JSON] {
        look()
        return ends.failures(limit, now: WallClock.now)
    }

    func failures(byHostOf queue: String) -> [String: Int] {
        look()
        return ends.failures(byHostOf: queue, now: WallClock.now)
    }

    /// Begins to listen, or goes on.
    func look() {
        lastLook = .now
        guard timer == nil else { return }
        room = (Self.successes, Self.failures)
        timer = LoopTimer(after: .seconds(1), repeating: true) { [weak self] in self?.tick() }
        scope.run("listen to ends") { [weak self] in await self?.listen() }
    }

    private func tick() {
        guard lastLook + Self.linger > .now else { return stop() }
        room = (Self.successes, Self.failures)
        scope.run("listen to ends") { [weak self] in await self?.listen() }
    }

    private func listen() async {
        let names = await registry.upkept()
        guard timer != nil else { return }
        for name in names where subscriptions[name] == nil {
            let keys = QueueKeys(name)
            subscriptions[name] = PublicSubscription(
                keys.publicEvents, of: keys.tag, on: channels, confirmed: {}, { [weak self] payload in self?.take(payload, name) })
        }
        for (name, subscription) in subscriptions where !names.contains(name) {
            subscription.end()
            subscriptions[name] = nil
        }
    }

    private func take(_ payload: [UInt8], _ queue: String) {
        guard room.successes > 0 || room.failures > 0 else { return }
        // The text shows whether reading it is worth the time.
        let head = String(decoding: payload.prefix(Self.head), as: UTF8.self)
        guard head.contains(#""type":"failed""#) ? room.failures > 0 : room.successes > 0 else { return }
        guard let event = try? JSON(parsing: payload), let receipt = event["receipt"]?.string else { return }
        switch event["type"]?.string {
        case "succeeded" where room.successes > 0:
            room.successes -= 1
            ends.succeeded(event)
        case "failed" where room.failures > 0:
            room.failures -= 1
            // Most errors name their URL, and most fetches are erased with their failure.
            if let error = event["error"], RecentEnds.place(of: error) != nil { return ends.failed(event) }
            scope.run("look at a failure") { [weak self, registry] in
                let source = try? await registry.queue(queue).source(ofReceipt: receipt)
                self?.ends.failed(event, source ?? nil)
            }
        default: break
        }
    }
}
