package import TintypeCore

/// The servers of a Redis, and which of them has the keys of a tag. Whoever has a command says what its keys belong to; nobody else knows a connection.
///
/// One server has all keys today. A class and no protocol: the queue asks for its node with each command, and there is no second kind yet.
@Loop
package final class RedisNodes {
    private let only: RedisClient

    package init(_ only: RedisClient) { self.only = only }

    /// - Parameters:
    ///   - name: what `CLIENT LIST` shows; no spaces.
    ///   - scripts: loaded on every new connection.
    ///   - requirement: a server that does not meet it counts as out of reach.
    package convenience init(
        _ endpoint: RedisEndpoint, name: String, logger: Logger, scripts: [LuaScript] = [], requirement: RedisRequirement? = nil
    ) {
        self.init(RedisClient(endpoint, name: name, logger: logger, scripts: scripts, requirement: requirement))
    }

    /// The way to the keys of a tag. It may be kept: it finds the server that has them each time.
    package func node(for tag: RedisTag) -> RedisNode { RedisNode(self, tag) }

    /// The connection to the server that has the keys of a tag now.
    func server(of tag: RedisTag) -> RedisClient { only }

    /// A connection to each server, for what is asked of servers and not of keys: a walk through all that there is.
    package var servers: [RedisClient] { [only] }

    /// Begins to connect, and never stops trying.
    package func start() { only.start() }
    /// Closes the connections and stops trying; waiting commands fail.
    package func stop() { only.stop() }

    /// Whether all servers are connected.
    package var isConnected: Bool { only.isConnected }
    /// Since when they all have been; nil unless they are.
    package var connectedSince: ContinuousClock.Instant? { only.connectedSince }
    /// Why one of them is not; nil if all are.
    package var failure: RedisError? { only.failure }
    /// Why one of them takes nothing that would change it, if it was so in the last ten seconds.
    package var refusal: String? { only.refusal }
    /// How many commands wait for their replies.
    package var pending: Int { only.pending }
    /// Where they are, for people.
    package var redacted: String { only.endpoint.redacted }

    /// Has something done each time that a connection is ready, in the order added.
    package func onConnected(_ body: @escaping @Loop () -> Void) { only.onConnected.append(body) }

    /// Waits until all servers are connected.
    /// - Throws: `.unavailable` when they are not within the time.
    package func untilConnected(within time: Duration) async throws(RedisError) { try await only.untilConnected(within: time) }

    /// Waits until one of many sorted sets has a member and pops it, and runs other commands in the same breath (`RedisClient.block`).
    ///
    /// Alone of all commands it spans tags. That holds while one server has them all: several need one wait each, and the first that
    /// wakes has to end the others. Connections that wait do nothing else, so these must be no other's.
    /// - Returns: what became of each, the wait first.
    package func pop(
        anyOf keys: [(tag: RedisTag, key: String)], within time: Duration, then others: [(tag: RedisTag, words: [RedisArgument])]
    ) async -> [Result<RedisReply, RedisError>] {
        assert(keys.allSatisfy { $0.tag.owns($0.key) } && others.allSatisfy { $0.tag.objection(to: $0.words) == nil }, "a key of another tag")
        let seconds = Double(max(10, time.milliseconds)) / 1000
        return await only.block(["BZPOPMIN"] + keys.map { .string($0.key) } + [.string("\(seconds)")], for: time, then: others.map(\.words))
    }

    /// Ends the wait of others now, as if its time were over.
    /// - Returns: false if they did not wait at this moment.
    package func unblock(_ others: RedisNodes) async throws(RedisError) -> Bool { try await only.unblock(others.only) }
}
