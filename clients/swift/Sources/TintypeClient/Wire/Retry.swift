/// The step that follows a failed try.
enum Retry {
    /// The methods that have a second effect when they are repeated. All others may be repeated when their answer was lost.
    ///
    /// A group that is begun twice is two groups, and a cancel would reach one.
    static let unrepeatable: Set<String> = ["batch.start", "chain.append", "chain.start", "prefetch.start", "activity.begin"]

    /// Returns the pause before the next try; nil when the failure is final.
    static func pause(after failure: Failure, _ method: String, _ backoff: inout Backoff) -> Duration? {
        switch failure {
        case .cancelled: return nil
        case .lost(_, let wasSent): return wasSent && unrepeatable.contains(method) ? nil : backoff.next()
        case .refused(let error):
            switch error.name {
            // Wrong tokens are wrong after the pause too.
            case .overloaded: return error.data["limit"] == "wrongTokens" ? nil : .bounded(error.retryAfter ?? 1) + backoff.next()
            case .unavailable: return max(.bounded(error.retryAfter ?? 0), backoff.next())
            // The next try goes to another coordinator.
            case .shuttingDown: return backoff.next()
            default: return nil
            }
        }
    }

    /// Tries until it succeeds, fails for good, or its time is over. Waits as the service says.
    ///
    /// - Parameters:
    ///   - until: The end of its time.
    ///   - failure: The failure of a first try that was made already.
    /// - Throws: The last failure.
    static func run<Value>(
        _ method: String, until: ContinuousClock.Instant, after failure: Failure? = nil, _ once: () async -> Result<Value, Failure>
    ) async throws(TintypeError) -> Value {
        var backoff = Backoff()
        var latest = failure
        while true {
            if let failure = latest {
                guard let pause = Self.pause(after: failure, method, &backoff), .now + pause < until else { throw failure.error(method) }
                try? await Task.sleep(for: pause)
            }
            if Task.isCancelled { throw .withdrawn }
            switch await once() {
            case .success(let value): return value
            case .failure(let failure): latest = failure
            }
        }
    }
}
