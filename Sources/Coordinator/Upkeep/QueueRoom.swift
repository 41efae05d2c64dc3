import TintypeCore
import TintypeTransport
import TintypeQueue

/// Makes room for another queue where there are as many as there may be: some that nobody has a use for are taken away.
///
/// Only then, since a queue that is made today may be used tomorrow. Lives on the loop; one look for all who ask meanwhile, and no other for a
/// while after one that found nothing: it asks about each queue.
@Loop
final class QueueRoom {
    /// Each queue costs each coordinator a look at it every second.
    nonisolated static let most = 1000
    /// Taken away by one look.
    private static let page = 10
    /// How long nobody looks after a look that found nothing.
    var pause = Duration.seconds(10)

    private let lanes: Lanes
    private let logger: Logger
    private let looking: SharedRun<Bool>
    private var rest = ContinuousClock.now

    init(lanes: Lanes, scope: TaskScope, logger: Logger) {
        (self.lanes, self.logger) = (lanes, logger)
        looking = SharedRun("room for queues", in: scope)
    }

    /// - Returns: whether there is room now.
    func make() async -> Bool {
        guard looking.isUnderWay || rest <= .now else { return false }
        return await looking.value { [self] in await look() } ?? false
    }

    private func look() async -> Bool {
        var gone: [String] = []
        do throws(RedisError) {
            gone = try await take()
        } catch {
            logger.refused("making room for a queue", error)
        }
        if gone.isEmpty { rest = .now + pause } else { logger.notice("took away queues that nobody uses", ["queues": gone.joined(separator: ",")]) }
        return !gone.isEmpty
    }

    private func take() async throws(RedisError) -> [String] {
        var gone: [String] = []
        for name in try await Queue.names(lanes.redis) where name != "default" && lanes[name] == nil && gone.count < Self.page {
            // The requests of a group name queues that nobody has asked for yet, and no queue knows of them. One may begin while this goes on.
            let groups = RedisArgument.string(QueueKeys.shared.prefix + "gl")
            guard try await lanes.redis.node(for: QueueKeys.shared).command(["EXISTS", groups]).int == 0 else { return gone }
            do throws(RedisError) {
                if try await lanes.queue(name).unmake() { gone.append(name) }
            } catch {
                // One of another schema is not ours to take.
                guard case .foreignQueue = error else { throw error }
            }
        }
        return gone
    }
}
