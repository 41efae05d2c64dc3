import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// Functions for tests of faults: they read the state in Redis, and age it where a real system would need time.
extension Deployment {
    private static let prefix = "tintype:{default}:"

    /// Runs one command on a key of the default queue, such as `run`: `redis("ZCARD", "run")`.
    @discardableResult
    package func redis(_ command: String, _ key: String, _ more: String...) async throws -> String {
        try await redis.command([command, Self.prefix + key] + more)
    }

    /// Returns the running fetches in Redis.
    package func running() async throws -> [String] {
        try await redis("ZRANGE", "run", "0", "-1").split(separator: "\n").map(String.init)
    }

    /// Waits until the oldest lease has been renewed. A fault that begins now has a whole lease before runs are given up for it.
    package func untilBeaten() async throws {
        func oldest() async throws -> String { try await redis("ZRANGE", "run", "0", "0", "WITHSCORES") }
        let before = try await oldest()
        try await Gate.until("the oldest lease is renewed") { try await oldest() != before }
    }

    /// Returns the worker process that runs a fetch.
    package func worker(of fetch: String) async throws -> ServiceProcess? {
        let holder = try await redis("HGET", "f:" + fetch, "worker")
        return workers.first { "\"\($0.ready["worker"] ?? "")\"" == holder }
    }

    /// Ends at once the leases that a silent worker would keep for ten seconds. Takes its fetches, as a coordinator would do after a lease. The next
    /// heartbeat of a live worker would renew the leases.
    @Loop package func expireLeases(of fetches: [String]) async throws {
        for fetch in fetches { try await redis("ZADD", "run", "XX", "1", fetch) }
        try await reap(undisturbed: Queue.undisturbed)
    }

    /// Asks runs to yield that a coordinator would leave undisturbed for ten seconds.
    @Loop package func askToYield() async throws { try await reap(undisturbed: .zero) }

    @Loop private func reap(undisturbed: Duration) async throws {
        let nodes = RedisNodes(
            try RedisEndpoint(redis.url), name: "test-reaper", logger: Logger(label: "test", level: .error), scripts: QueueScripts.shipped.all)
        nodes.start()
        defer { nodes.stop() }
        try await nodes.untilConnected(within: .seconds(10))
        _ = try await Queue(name: "default", redis: nodes).reap(undisturbed: undisturbed)
    }

    /// From now on heartbeats keep leases but bring no cancellations: only messages do. The deployment must be proxied.
    package func muteBeats() async throws {
        let (text, rest) = ("if m[3] then stop[#stop + 1] = fid elseif m[4]", "if m[4]")
        var sources = QueueScripts.sources
        guard let proxy, let beat = sources["worker-heartbeat"], beat.contains(text) else { throw TestFailure("beats cannot be muted") }
        sources["worker-heartbeat"] = beat.replacing(text, with: rest)
        for (script, muted) in zip(QueueScripts.shipped.all, QueueScripts(sources: sources).all) where script.sha1 != muted.sha1 {
            try await redis.command(["SCRIPT", "LOAD", muted.source])
            proxy.replace(script.sha1, with: muted.sha1)
        }
    }

    /// Starts one more worker.
    package func anotherWorker() async throws -> ServiceProcess {
        try await ServiceProcess.worker(redis: address, ["--results", "file://\(results.path)"])
    }

    /// Returns the number of requests that the origin answers now.
    package func atOrigin() async throws -> Int { try await counts()["running"]?.int ?? -1 }

    /// Returns the number of requests that have reached the origin. Unlike `atOrigin` it never falls, so it suits requests that may end soon.
    package func asked() async throws -> Int { try await counts()["total"]?.int ?? -1 }

    /// Releases the request that has waited longest at a gate of the origin (`gate=…` in its URL), as soon as there is one.
    package func open(gate: String) async throws {
        try await Gate.until("somebody waits at \(gate)") { try await HTTP.get(origin.base + "/_open?gate=" + gate).status == 200 }
    }

    /// Returns the answer of `system.validate` when the work is over: empty if every rule holds. The function waits for violations that pass, such as a
    /// wake-up that a worker is just following.
    package func violations(_ client: RPCClient, within limit: Duration = .seconds(10)) async throws -> [String] {
        let end = ContinuousClock.now + limit
        while true {
            let answer = try await client.call("system.validate")
            if answer["ok"]?.bool == true { return [] }
            if ContinuousClock.now > end { return answer["violations"]?.strings ?? ["\(answer)"] }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
