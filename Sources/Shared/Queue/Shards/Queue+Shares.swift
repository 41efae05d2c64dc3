import TintypeCore
package import TintypeTransport

extension Queue {
    /// How long a coordinator lends shares before it must say that it still does.
    package nonisolated static let lending = Duration.seconds(5)

    /// Asks to be the one coordinator that lends shares of limits to shards, or goes on as such. Call it before each round.
    /// - Returns: the number of this lender if it is new, 0 if it goes on, nil if another coordinator lends.
    package static func lend(as coordinator: String, _ redis: RedisNodes) async throws(RedisError) -> Int64? {
        let node = shared(redis)
        let (key, time) = (RedisArgument.string(QueueKeys.lender), RedisArgument.int(lending.milliseconds))
        if try await node.command(["SET", key, .string(coordinator), "NX", "PX", time]).string == "OK" { return try await clock(redis) }
        guard try await node.command(["GET", key]).string == coordinator else { return nil }
        // If the time ends just now, another lender may begin, and its greater number fences this one off.
        _ = try await node.command(["PEXPIRE", key, time])
        return 0
    }

    /// Reads how this shard stands, and perhaps changes its share of `maxConcurrent`.
    /// - Parameters:
    ///   - lender: the coordinator, and the number that it got from `lend`.
    ///   - share: nil leaves the share.
    ///   - help: tells the workers of this shard that other shards need some of them.
    /// - Returns: nil if another coordinator lends now. Nothing was changed then.
    package func share(_ lender: (coordinator: String, epoch: Int64), _ share: Int? = nil, help: (shards: [String], oneIn: Int)? = nil) async throws(RedisError)
        -> SharePlan.Load?
    {
        var arguments = ScriptArguments(.share)
        arguments.add(.epoch, .int(lender.epoch))
        arguments.add(.coordinator, lender.coordinator)
        if let share { arguments.add(.share, .int(Int64(share))) }
        if let help, !help.shards.isEmpty { arguments.add(.help, "\(help.oneIn)|\(help.shards.joined(separator: " "))") }
        let reply = try await run(arguments, waits: false)
        if ShareReply(reply) == .stale { return nil }
        let numbers = (reply.array ?? []).compactMap(\.int).map { Int($0) }
        guard numbers.count == 3 else { throw Self.unexpected(.share, reply) }
        return SharePlan.Load(share: numbers[0], running: numbers[1], waiting: numbers[2])
    }
}
