import Shared

/// Tells the memory tiers of all coordinators what must not be answered any more, over a channel of its own. A message lost with a
/// broken connection is made up for by forgetting everything when it is back.
@Loop
final class CacheNews {
    enum Message: Sendable, Hashable {
        /// These results were made anew.
        case forget([String])
        /// The memory tiers are to be emptied.
        case clear
        /// The result store was emptied.
        case distrust

        var text: String {
            switch self {
            case .forget(let keys): "forget " + keys.joined(separator: ",")
            case .clear: "clear"
            case .distrust: "distrust"
            }
        }

        init?(_ text: Substring) {
            switch text {
            case "clear": self = .clear
            case "distrust": self = .distrust
            case _ where text.hasPrefix("forget "): self = .forget(text.dropFirst(7).split(separator: ",").map(String.init))
            default: return nil
            }
        }
    }

    private static let channel = "tintype:{default}:memory"
    private let redis: RedisClient
    private let subscriber: RedisSubscriber
    private let memory: MemoryTier
    private let coordinator: String
    private let scope: TaskScope
    private var isFirst = true

    init(redis: RedisClient, subscriber: RedisSubscriber, memory: MemoryTier, coordinator: String, scope: TaskScope) {
        self.redis = redis
        self.subscriber = subscriber
        self.memory = memory
        self.coordinator = coordinator
        self.scope = scope
    }

    func start() {
        subscriber.subscribe(Self.channel, confirmed: { [weak self] in self?.confirmed() }, { [weak self] _, payload in self?.received(payload) })
    }

    private func confirmed() {
        if !isFirst { _ = memory.clear() }
        isFirst = false
    }

    private func received(_ payload: [UInt8]) {
        let words = String(decoding: payload, as: UTF8.self).split(separator: " ", maxSplits: 1)
        // Our own news were heeded before they were told.
        guard words.count == 2, words[0] != coordinator, let message = Message(words[1]) else { return }
        apply(message)
    }

    /// Heeds it here and tells the others, who learn it a moment later.
    /// - Returns: what the memory tier here gave up.
    @discardableResult
    func tell(_ message: Message) -> StoreStatistics {
        // A result made anew comes into our own tier with the same breath: only others are out of date.
        let freed = if case .forget = message { StoreStatistics() } else { apply(message) }
        let text = "\(coordinator) \(message.text)"
        scope.run("cache news") { [redis] in _ = try? await redis.command(["PUBLISH", .string(Self.channel), .string(text)]) }
        return freed
    }

    @discardableResult
    private func apply(_ message: Message) -> StoreStatistics {
        switch message {
        case .forget(let keys): return StoreStatistics(count: keys.count, bytes: keys.reduce(0) { $0 + memory.remove($1) })
        case .clear: return memory.clear()
        case .distrust:
            memory.distrust()
            return StoreStatistics()
        }
    }
}
