package import TintypeTransport
package import TintypeQueue
package import TintypeStores

/// The invalidation messages between the memory tiers of all coordinators, over a channel of their own. After a broken connection, messages may be
/// lost, so the tier is emptied when the channel is back.
@Loop
package final class CacheInvalidation {
    package enum Message: Sendable, Hashable {
        /// These results were made again, or must no longer be served.
        case forget([String])
        /// These results are gone from the result store. Entries of them without bytes in memory are not verified any more.
        case markUnverified([String])
        /// The results of these sources must no longer be served.
        case purge(PurgeTarget)
        /// The results with this tag must no longer be served.
        case purgeTag(String)
        /// The memory tiers must be emptied.
        case clear
        /// The result store was emptied.
        case markAllUnverified

        package var text: String {
            switch self {
            case .forget(let keys): "forget " + keys.joined(separator: ",")
            case .markUnverified(let keys): "markUnverified " + keys.joined(separator: ",")
            case .purge(let target): "purge " + target.member
            case .purgeTag(let tag): "purgeTag " + tag
            case .clear: "clear"
            case .markAllUnverified: "markAllUnverified"
            }
        }

        init?(_ text: Substring) {
            switch text {
            case "clear": self = .clear
            case "markAllUnverified": self = .markAllUnverified
            case _ where text.hasPrefix("purge "):
                guard let target = PurgeTarget(member: String(text.dropFirst(6))) else { return nil }
                self = .purge(target)
            case _ where text.hasPrefix("purgeTag "): self = .purgeTag(String(text.dropFirst(9)))
            case _ where text.hasPrefix("forget "): self = .forget(text.dropFirst(7).split(separator: ",").map(String.init))
            case _ where text.hasPrefix("markUnverified "): self = .markUnverified(text.dropFirst(15).split(separator: ",").map(String.init))
            default: return nil
            }
        }
    }

    private static let channel = QueueKeys.memoryNews
    private let redis: RedisNode
    private let channels: RedisChannels
    private let publishing: PublicChannels
    private let memory: MemoryTier
    private let coordinator: String
    private var subscription: PublicSubscription?
    private var isFirst = true
    /// The purges that are under way here.
    private let walks = TaskScope()

    /// - Parameter publishing: the way of its messages. In a cluster, PUBLISH would cost every server as much as the one that takes it.
    init(redis: RedisNodes, channels: RedisChannels, publishing: PublicChannels, memory: MemoryTier, coordinator: String) {
        self.redis = redis.node(for: QueueKeys.shared)
        self.channels = channels
        self.publishing = publishing
        self.memory = memory
        self.coordinator = coordinator
    }

    package func start() {
        subscription = PublicSubscription(
            Self.channel, of: QueueKeys.shared, on: channels, confirmed: { [weak self] in self?.confirmed() }, { [weak self] in self?.received($0) })
    }

    /// Whether the channel works. Without it, memory would serve removed results.
    package var isConfirmed: Bool { subscription?.isConfirmed == true }

    private func confirmed() {
        if !isFirst { _ = memory.clear() }
        isFirst = false
    }

    private func received(_ payload: [UInt8]) {
        let words = String(decoding: payload, as: UTF8.self).split(separator: " ", maxSplits: 1)
        // This coordinator applied its own messages before it sent them.
        guard words.count == 2, words[0] != coordinator, let message = Message(words[1]) else { return }
        apply(message)
    }

    /// Applies a message here and sends it to the other coordinators.
    /// - Parameter isNewHere: Whether this coordinator's tier already gets the new result, so that only the others are outdated.
    /// - Returns: The entries that the memory tier here removed. Those of a purge are removed in the next turns of the loop, and are not counted.
    @discardableResult
    package func publish(_ message: Message, isNewHere: Bool = false) -> StoreStatistics {
        let freed = isNewHere ? StoreStatistics() : apply(message)
        redis.sendWithoutReply(words(message))
        return freed
    }

    /// Applies a message here and sends it to the other coordinators, for callers whose work is not done before that.
    /// - Throws: if Redis did not take the message.
    package func tell(_ message: Message) async throws(RedisError) {
        apply(message)
        await walks.drain()
        _ = try await redis.command(words(message))
    }

    private func words(_ message: Message) -> [RedisArgument] {
        [.string(publishing.command), .string(Self.channel), .string("\(coordinator) \(message.text)")]
    }

    @discardableResult
    private func apply(_ message: Message) -> StoreStatistics {
        switch message {
        case .forget(let keys):
            let freed = keys.map { memory.remove($0) }.filter { $0 > 0 }
            // bounded: bytes of this process.
            return StoreStatistics(count: freed.count, bytes: freed.reduce(0, +))
        case .markUnverified(let keys):
            for key in keys { memory.markUnverified(key) }
            return StoreStatistics()
        case .purge(let target):
            walks.run("purge memory") { [memory] in await memory.purge(target) }
            return StoreStatistics()
        case .purgeTag(let tag):
            walks.run("purge memory") { [memory] in await memory.purge(tag: tag) }
            return StoreStatistics()
        case .clear: return memory.clear()
        case .markAllUnverified:
            memory.markAllUnverified()
            return StoreStatistics()
        }
    }
}
