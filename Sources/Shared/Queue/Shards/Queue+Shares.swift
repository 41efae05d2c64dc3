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
    ///   - lender: nil for one that only asks, or calls for help.
    ///   - share: nil leaves the share.
    ///   - help: asks workers of this shard to help other shards.
    /// - Returns: the state, or the number of another coordinator that lends now. Nothing was changed then.
    package func share(_ lender: ShareLease?, _ share: Int? = nil, help: (shards: [String], oneIn: Int)? = nil) async throws(RedisError) -> ShareAnswer {
        var arguments = ScriptArguments(.share, [:])
        if let lender { arguments.add([.epoch: .int(lender.epoch), .coordinator: .string(lender.coordinator), .share: share.map { .int(Int64($0)) }]) }
        if let help, !help.shards.isEmpty { arguments.add([.help: .string("\(help.oneIn)|\(help.shards.joined(separator: " "))")]) }
        return try shareAnswer(try await run(arguments, waits: false))
    }

    /// Lowers the share of this shard, unless it is smaller already. Every coordinator may do so at any time: it never makes the shares more than the limit.
    package func lowerShare(to share: Int) async throws(RedisError) {
        _ = try shareAnswer(try await run(.share, [.most: .int(Int64(share))]))
    }

    private func shareAnswer(_ reply: RedisReply) throws(RedisError) -> ShareAnswer {
        let words = reply.array ?? []
        if RunReply(reply) == .stale, let number = words.last?.int { return .stale(number) }
        let numbers = words.prefix(4).compactMap(\.int)
        guard words.count == 5, numbers.count == 4, let mark = words[4].string else { throw Self.unexpected(.share) }
        return .load(SharePlan.Load(share: Int(numbers[0]), running: Int(numbers[1]), waiting: Int(numbers[2]), workers: Int(numbers[3]), mark: mark))
    }

    /// Reads the shares of the shards of this queue, as the last lender has kept them, or replaces them. An older lender can no longer replace them.
    /// - Parameters:
    ///   - held: one number for each shard; nil for an unknown one.
    ///   - count: the number of shards.
    /// - Returns: the kept shares; nil if another lender has come since.
    package func lent(_ lender: ShareLease, keeping held: [Int?]? = nil, count: Int) async throws(RedisError) -> [Int?]? {
        let shares = held?.map { $0.map { "\($0)" } ?? "?" }.joined(separator: " ")
        let reply = try await run(
            shared: .lender,
            [
                .queue: .string(name), .epoch: .int(lender.epoch), .coordinator: .string(lender.coordinator), .shares: shares.map { .string($0) },
            ])
        if RunReply(reply) == .stale { return nil }
        guard let text = reply.array?.first?.string else { throw Self.unexpected(.lender) }
        let kept = text.split(separator: " ").map { WireNumber.digits($0).map { Int($0) } }
        return kept.count == count ? kept : Array(repeating: nil, count: count)
    }
}

/// The right of a coordinator to lend shares.
package struct ShareLease: Sendable, Hashable {
    package let coordinator: String
    /// The number that it got from `Queue.lend`.
    package let epoch: Int64

    package init(coordinator: String, epoch: Int64) { (self.coordinator, self.epoch) = (coordinator, epoch) }
}

/// The answer of a shard to a lender.
package enum ShareAnswer: Sendable, Hashable {
    case load(SharePlan.Load)
    /// Another lender, with this number, has come since.
    case stale(Int64)

    /// The state; nil if another coordinator lends.
    package var load: SharePlan.Load? { if case .load(let load) = self { load } else { nil } }
}
