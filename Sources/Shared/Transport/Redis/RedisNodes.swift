package import TintypeCore

/// The servers of a Redis, and which of them has the keys of a tag. Callers name the tag of their keys; no other code knows a connection.
///
/// Today one server has all keys. A class and no protocol: the queue asks for its node with each command, and there is no second kind yet.
@Loop
package final class RedisNodes {
    private let only: RedisClient

    package init(_ only: RedisClient) { self.only = only }

    /// - Parameters:
    ///   - topology: where the primary is. A `RedisEndpoint` is one server.
    ///   - name: the name in `CLIENT LIST`, without spaces.
    ///   - scripts: loaded on every new connection.
    ///   - requirement: the check of a server. A server that fails it counts as unreachable.
    package convenience init(
        _ topology: any RedisTopology, name: String, logger: Logger, scripts: [LuaScript] = [], requirement: RedisRequirement? = nil
    ) {
        self.init(RedisClient(topology, name: name, logger: logger, scripts: scripts, requirement: requirement))
    }

    /// Returns the node for the keys of a tag. It may be kept: it looks up the server for each command.
    package func node(for tag: RedisTag) -> RedisNode { RedisNode(self, tag) }

    /// Returns the connection to the server that has the keys of a tag now.
    func server(of tag: RedisTag) -> RedisClient { only }

    /// A connection to each server, for commands on servers and not on keys, such as a walk through all keys.
    package var servers: [RedisClient] { [only] }

    /// Starts to connect, and retries for ever.
    package func start() { only.start() }
    /// Closes the connections and stops retrying. Waiting commands fail.
    package func stop() { only.stop() }

    /// Whether all servers are connected.
    package var isConnected: Bool { only.isConnected }
    /// The time since which all servers are connected; nil unless they are.
    package var connectedSince: ContinuousClock.Instant? { only.connectedSince }
    /// The reason for which one of them is not connected; nil if all are.
    package var failure: RedisError? { only.failure }
    /// The reason for which one of them refuses writes, if it has refused one in the last 10 s.
    package var refusal: String? { only.refusal }
    /// The number of commands that wait for their replies.
    package var pending: Int { only.pending }
    /// The primary and its switches as they are known, for metrics.
    package var standing: RedisStanding { only.topology.standing }
    /// The addresses of the servers, for logs.
    package var redacted: String { only.topology.redacted }

    /// Adds a callback for each time that a connection is ready. Callbacks run in the order added.
    package func onConnected(_ body: @escaping @Loop () -> Void) { only.onConnected.append(body) }

    /// Waits until all servers are connected.
    /// - Throws: `.unavailable` when they are not in time.
    package func untilConnected(within time: Duration) async throws(RedisError) { try await only.untilConnected(within: time) }

    /// Waits until one of several sorted sets has a member and pops it, and then runs other commands (`RedisClient.block`).
    ///
    /// A server of a cluster refuses keys of several slots (`RedisErrorReply.crossSlot`); only `RedisWaits` calls this function. Connections that wait do
    /// nothing else, so they must not be shared.
    /// - Returns: the result of each command, the wait first.
    func pop(
        anyOf keys: [String], within time: Duration, then others: [[RedisArgument]]
    ) async -> [Result<RedisReply, RedisError>] {
        let seconds = Double(max(10, time.milliseconds)) / 1000
        return await only.block(["BZPOPMIN"] + keys.map { .string($0) } + [.string("\(seconds)")], for: time, then: others)
    }

    /// Ends the wait of other connections now, as if its time were over.
    /// - Returns: false if they did not wait at this moment.
    package func unblock(_ others: RedisNodes) async throws(RedisError) -> Bool { try await only.unblock(others.only) }
}
