import TintypeCore
package import TintypeTransport

extension Queue {
    /// How long a coordinator lends shares before it must say that it still does.
    package nonisolated static let lending = Duration.seconds(5)

    /// Asks to be the one coordinator that lends shares of limits to shards, or goes on as such. Call it before each round.
    /// - Parameters:
    ///   - epoch: the number of this lender; nil if it has none yet.
    ///   - least: a number that is not too small. Another server's clock may be behind.
    /// - Returns: the number of this lender; nil if another coordinator lends.
    package static func lend(
        as coordinator: String, _ epoch: Int64?, atLeast least: Int64 = 0, _ redis: RedisNodes
    ) async throws(RedisError) -> Int64? {
        let node = shared(redis)
        let (key, time) = (RedisArgument.string(QueueKeys.lender), RedisArgument.int(lending.milliseconds))
        if try await node.command(["SET", key, .string(coordinator), "NX", "PX", time]).string == "OK" { return max(try await clock(redis), least) }
        guard try await node.command(["GET", key]).string == coordinator else { return nil }
        // If the time ends just now, another lender may begin, and its greater number fences this one off.
        _ = try await node.command(["PEXPIRE", key, time])
        if let epoch { return epoch }
        return max(try await clock(redis), least)
    }

    /// Reads how this shard stands, and perhaps changes its share of `maxConcurrent`.
    /// - Parameters:
    ///   - lender: the coordinator, and the number that it got from `lend`.
    ///   - share: nil leaves the share.
    ///   - help: tells the workers of this shard that other shards need some of them.
    /// - Returns: the state, or the number of another coordinator that lends now. Nothing was changed then.
    package func share(_ lender: (coordinator: String, epoch: Int64), _ share: Int? = nil, help: (shards: [String], oneIn: Int)? = nil) async throws(RedisError)
        -> ShareAnswer
    {
        var arguments = ScriptArguments(.share)
        arguments.add(.epoch, .int(lender.epoch))
        arguments.add(.coordinator, lender.coordinator)
        if let share { arguments.add(.share, .int(Int64(share))) }
        if let help, !help.shards.isEmpty { arguments.add(.help, "\(help.oneIn)|\(help.shards.joined(separator: " "))") }
        let reply = try await run(arguments, waits: false)
        let numbers = (reply.array ?? []).compactMap(\.int)
        if ShareReply(reply) == .stale, let number = numbers.first { return .stale(number) }
        guard numbers.count == 3 else { throw Self.unexpected(.share, reply) }
        return .load(SharePlan.Load(share: Int(numbers[0]), running: Int(numbers[1]), waiting: Int(numbers[2])))
    }
}

/// The answer of a shard to a lender.
package enum ShareAnswer: Sendable, Hashable {
    case load(SharePlan.Load)
    /// Another lender, with this number, has come since.
    case stale(Int64)

    /// The state; nil if it is none of this lender's business any more.
    package var load: SharePlan.Load? { if case .load(let load) = self { load } else { nil } }
}
