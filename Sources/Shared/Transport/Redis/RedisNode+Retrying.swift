extension RedisNode {
    /// The shortest pause between tries: the connection may be back when its failure is reported.
    private static let pause = Duration.milliseconds(20)
    private static let forEver = Duration.seconds(1 << 30)

    /// Repeats a call until Redis has answered it. This is the only function that waits for an unreachable Redis.
    ///
    /// It ends with an answer, when the patience is used up, when the task is cancelled, or when `goesOn` returns false. The call must be harmless to
    /// repeat. It may check at each try whether any caller still needs it, and answer that.
    /// - Parameters:
    ///   - goesOn: called with each failure before the pause; false ends the loop.
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
                guard goesOn(error), !Task.isCancelled, let pause = patience.pause(after: error, at: .now), await wait(pause, until: patience.limit) else {
                    throw error
                }
            }
        }
    }

    /// Waits before the next try.
    /// - Returns: whether another try makes sense.
    private func wait(_ pause: RedisPatience.Pause, until limit: ContinuousClock.Instant?) async -> Bool {
        switch pause {
        case .forConnection where !isConnected:
            return (try? await untilConnected(within: limit.map { $0 - .now } ?? Self.forEver)) != nil
        case .forConnection: return await wait(.time(Self.pause), until: limit)
        case .time(let time): return (try? await Loop.sleep(time)) != nil && limit.map { ContinuousClock.now < $0 } ?? true
        }
    }
}
