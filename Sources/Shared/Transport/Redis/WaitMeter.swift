import TintypeCore

/// Counts the commands behind one wait, each from the reply before its own: the wait itself is no work of the server. Lives on the loop.
@Loop
final class WaitMeter {
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
