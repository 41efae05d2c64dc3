import TintypeTransport
import TintypeQueue
import TintypeStores

/// Tells the memory tiers of all coordinators what must not be answered any more, over a channel of its own. A message lost with a
/// broken connection is made up for by forgetting everything when it is back.
@Loop
final class CacheNews {
    enum Message: Sendable, Hashable {
        /// These results were made anew, or are not to be answered any more.
        case forget([String])
        /// These are gone from the result store: what memory has of them without bytes counts no more.
        case doubt([String])
        /// The memory tiers are to be emptied.
        case clear
        /// The result store was emptied.
        case distrust

        var text: String {
            switch self {
            case .forget(let keys): "forget " + keys.joined(separator: ",")
            case .doubt(let keys): "doubt " + keys.joined(separator: ",")
            case .clear: "clear"
            case .distrust: "distrust"
            }
        }

        init?(_ text: Substring) {
            switch text {
            case "clear": self = .clear
            case "distrust": self = .distrust
            case _ where text.hasPrefix("forget "): self = .forget(text.dropFirst(7).split(separator: ",").map(String.init))
            case _ where text.hasPrefix("doubt "): self = .doubt(text.dropFirst(6).split(separator: ",").map(String.init))
            default: return nil
            }
        }
    }

    private static let channel = QueueKeys.memoryNews
    private let redis: RedisNode
    private let channels: RedisChannels
    private let memory: MemoryTier
    private let coordinator: String
    private var subscription: RedisSubscription?
    private var isFirst = true

    init(redis: RedisNodes, channels: RedisChannels, memory: MemoryTier, coordinator: String) {
        self.redis = redis.node(for: QueueKeys.shared)
        self.channels = channels
        self.memory = memory
        self.coordinator = coordinator
    }

    func start() {
        subscription = channels.subscribe(
            Self.channel, of: QueueKeys.shared, confirmed: { [weak self] in self?.confirmed() }, { [weak self] _, payload in self?.received(payload) })
    }

    /// Whether it hears what others tell. Else memory would answer what was removed.
    var isConfirmed: Bool { subscription?.isConfirmed == true }

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
    /// - Parameter isNewHere: whether what was made anew comes into our own tier with the same breath: only others are out of date.
    /// - Returns: what the memory tier here gave up.
    @discardableResult
    func tell(_ message: Message, isNewHere: Bool = false) -> StoreStatistics {
        let freed = isNewHere ? StoreStatistics() : apply(message)
        redis.tell(["PUBLISH", .string(Self.channel), .string("\(coordinator) \(message.text)")])
        return freed
    }

    @discardableResult
    private func apply(_ message: Message) -> StoreStatistics {
        switch message {
        case .forget(let keys):
            let freed = keys.map { memory.remove($0) }.filter { $0 > 0 }
            return StoreStatistics(count: freed.count, bytes: freed.reduce(0, +))
        case .doubt(let keys):
            for key in keys { memory.doubt(key) }
            return StoreStatistics()
        case .clear: return memory.clear()
        case .distrust:
            memory.distrust()
            return StoreStatistics()
        }
    }
}
