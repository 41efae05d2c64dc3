extension RedisNode {
    /// The connection may be back when its failure is heard of: what failed is tried no faster than this.
    private static let pause = Duration.milliseconds(20)
    private static let forEver = Duration.seconds(1 << 30)

    /// Does something again until Redis has answered it: the one way to wait for a Redis that is away.
    ///
    /// It ends with an answer, when the patience is at its end, when the task is cancelled, or when `goesOn` says so. What is tried must be
    /// harmless to repeat. It may look at each try whether anybody still wants it, and answer that.
    /// - Parameters:
    ///   - goesOn: told of each failure before anything is waited for; false ends it.
    ///   - body: one try.
    /// - Throws: the last error.
    package func retrying<Answer>(
        _ patience: RedisPatience, after goesOn: @Loop (RedisError) -> Bool = { _ in true }, _ body: @Loop () async throws(RedisError) -> Answer
    ) async throws(RedisError) -> Answer {
        var patience = patience
        while true {
            do throws(RedisError) {
                return try await body()
            } catch {
                guard goesOn(error), !Task.isCancelled, let rest = patience.rest(after: error, at: .now), await take(rest, until: patience.limit) else {
                    throw error
                }
            }
        }
    }

    /// - Returns: whether another try makes sense.
    private func take(_ rest: RedisPatience.Rest, until limit: ContinuousClock.Instant?) async -> Bool {
        switch rest {
        case .forConnection where !isConnected:
            return (try? await untilConnected(within: limit.map { $0 - .now } ?? Self.forEver)) != nil
        case .forConnection: return await take(.time(Self.pause), until: limit)
        case .time(let time): return (try? await Loop.sleep(time)) != nil && limit.map { ContinuousClock.now < $0 } ?? true
        }
    }
}
