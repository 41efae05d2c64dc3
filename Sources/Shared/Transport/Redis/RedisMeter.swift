package import TintypeCore

/// Counts the work of a process's connections to the Redis of the queue: commands with their times, breaks and redirects. Lives on the loop.
@Loop
package final class RedisMeter {
    /// The connections that are counted apart.
    enum Connection: String, CaseIterable { case commands, subscriber }

    /// How a command ended.
    private enum Outcome: String {
        /// The server has run the command.
        case ok
        /// The server answered an error.
        case refused
        /// There was no answer, so the command may have run or not.
        case lost
    }

    private struct Series: Hashable {
        let command: String
        let outcome: Outcome
    }

    private let metrics: Metrics
    private var handles: [Series: Metrics.Handle] = [:]

    package init(_ metrics: Metrics) {
        self.metrics = metrics
        for connection in Connection.allCases { metrics.add(.redisReconnects, 0, labels: connection.rawValue) }
    }

    /// Counts a command that was sent.
    /// - Parameters:
    ///   - command: the name of the script, or the first word of the command. Both come from this program alone, so there are few.
    ///   - result: the reply, or the failure of the connection.
    ///   - began: when the command was sent.
    func ended(_ command: String, _ result: Result<RedisReply, RedisError>, since began: ContinuousClock.Instant) {
        let outcome: Outcome
        switch result {
        case .success(.error): outcome = .refused
        case .success: outcome = .ok
        case .failure: outcome = .lost
        }
        let series = Series(command: command, outcome: outcome)
        let time = (ContinuousClock.now - began) / .seconds(1)
        if let known = handles[series] { return metrics.observe(known, time) }
        let handle = metrics.handle(.redisCommandSeconds, labels: command, outcome.rawValue)
        handles[series] = handle
        metrics.observe(handle, time)
    }

    /// Counts a connection that was made anew.
    func reconnected(_ connection: Connection) { metrics.add(.redisReconnects, labels: connection.rawValue) }

    /// Counts a refusal that names another server, or asks to wait.
    func redirected(_ kind: ClusterRedirect.Kind) { metrics.add(.redisRedirects, labels: kind.rawValue) }
}

/// Counts the commands behind one wait, each from the reply before its own: the wait itself is no work of the server. Lives on the loop.
@Loop
package final class WaitMeter {
    private let meter: RedisMeter
    private let names: [String]
    private var last = ContinuousClock.now

    /// - Parameter names: the names of the commands behind the wait.
    init(_ meter: RedisMeter, _ names: [String]) { (self.meter, self.names) = (meter, names) }

    /// Counts a reply; that to the wait is the first.
    func heard(_ index: Int, _ reply: RedisReply) {
        if index > 0 { meter.ended(names[index - 1], .success(reply), since: last) }
        last = .now
    }

    /// Counts the commands that got no reply.
    func ended(_ results: [Result<RedisReply, RedisError>]) {
        for (name, result) in zip(names, results.dropFirst()) { if case .failure = result { meter.ended(name, result, since: last) } }
    }
}
