package import Foundation
package import TintypeCore
import Synchronization
package import Testing

/// A whole Tintype of real processes for one test: Redis, coordinators, workers and the scripted origin, all on loopback.
package final class Deployment: Sendable {
    /// The Redis that takes writes.
    package var redis: RedisServer { site?.primary ?? only }
    private let only: RedisServer
    /// The replicas and sentinels, if the test asked for them.
    package let site: SentinelSite?
    /// The URL of the Redis for the services.
    package let address: String
    /// The proxy between the services and Redis, if the test asked for one.
    package let proxy: RedisProxy?
    package let coordinators: [ServiceProcess]
    package let workers: [ServiceProcess]
    package let origin: ServiceProcess
    package let results: TemporaryFolder
    private let hasStopped = Atomic(false)

    /// - Parameters:
    ///   - appendOnly: whether Redis keeps its data over a kill.
    ///   - redisOptions: added to the command line of Redis.
    ///   - site: the replicas and sentinels; without them there is one Redis with `redisOptions`.
    ///   - isProxied: whether the services reach Redis through a `RedisProxy`.
    ///   - workerArguments: added to each worker's command line.
    ///   - store: the store for results and sources; a folder of its own by default.
    ///   - environment: added to that of coordinators and workers.
    ///   - root: a folder whose files the origin serves.
    ///   - isCluster: whether Redis is a cluster, unless `site` is given.
    package init(
        coordinators: Int = 1, workers: Int = 1, appendOnly: Bool = false, redisOptions: [String] = [], site: SentinelSite? = nil, isProxied: Bool = false,
        coordinatorArguments: [String] = [], workerArguments: [String] = [], workerResults: String? = nil, store: String? = nil,
        environment: [String: String] = [:], root: String? = nil, isCluster: Bool = RedisServer.isClusterByDefault,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        self.site = site
        if let site {
            only = site.primary
        } else {
            only = try await RedisServer(appendOnly: appendOnly, options: redisOptions, isCluster: isCluster)
        }
        proxy = isProxied ? try RedisProxy(to: only.socketPath) : nil
        let address = site?.url ?? proxy?.url ?? only.url
        self.address = address
        results = try TemporaryFolder("results")
        let store = ["--results", store ?? "file://\(results.path)"]
        let workerStore = workerResults.map { ["--results", $0] } ?? store
        async let origins = Self.started(1) { try await ServiceProcess.origin(root.map { ["--root", $0] } ?? []) }
        self.coordinators = try await Self.started(coordinators) {
            try await ServiceProcess.coordinator(redis: address, store + coordinatorArguments, environment: environment)
        }
        // After the coordinators: when the workers are ready, the coordinators are connected to Redis.
        self.workers = try await Self.started(workers) {
            try await ServiceProcess.worker(redis: address, workerStore + workerArguments, environment: environment)
        }
        origin = try await origins[0]
        TestScope.atEnd { [self] in await stop(sourceLocation: sourceLocation) }
    }

    private static func started(_ count: Int, _ start: @escaping @Sendable () async throws -> ServiceProcess) async throws -> [ServiceProcess] {
        try await withThrowingTaskGroup(of: ServiceProcess.self) { group in
            for _ in 0..<count { group.addTask { try await start() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Returns a new connection to one of the coordinators.
    package func client(_ coordinator: Int = 0) throws -> RPCClient { try RPCClient(port: coordinators[coordinator].rpcPort) }

    /// Returns a URL at the origin.
    package func url(_ path: String) -> String { origin.base + path }

    /// Changes the limits of the default queue.
    package func configure(_ client: RPCClient, _ change: String) async throws {
        let answer = try await client.call("queue.configure", #"{"queue":"default",\#(change)}"#)
        if let error = answer.error { throw TestFailure("queue.configure: \(error)") }
    }

    /// Returns the requests that the origin has received: `GET /_counts`.
    package func counts() async throws -> JSON {
        let data = try await HTTP.get(origin.base + "/_counts").body
        return try JSON(parsing: data)
    }

    /// Ends every process, gently first, and then checks that the data in Redis keeps every rule. The end of the test does it at the latest.
    package func stop(sourceLocation: SourceLocation = #_sourceLocation) async {
        guard !hasStopped.exchange(true, ordering: .relaxed) else { return }
        site?.network?.heal()
        await withTaskGroup(of: Void.self) { group in
            for process in workers + coordinators { group.addTask { await process.stop() } }
        }
        await origin.kill9()
        proxy?.stop()
        await redis.checkRules(sourceLocation: sourceLocation)
        await redis.kill9()
    }
}

/// HTTP as any client would speak it: through the `curl` command, if a request needs any of its options.
package enum HTTP {
    package struct Response: Sendable {
        package let status: Int
        package let headers: [String: String]
        package let body: Data
    }

    /// Sends one request. `arguments` go to curl unchanged. A message for `/rpc` has its type, unless they name another.
    package static func get(_ url: String, _ arguments: [String] = []) async throws -> Response {
        if let plain = plain(url, arguments) { return try await get(port: plain.port, path: plain.path) }
        let isTyped = !url.hasSuffix("/rpc") || arguments.contains { $0.hasPrefix("Content-Type:") }
        let arguments = isTyped ? arguments : ["-H", "Content-Type: application/json"] + arguments
        let folder = try TemporaryFolder("curl")
        let child = try ChildProcess(
            "curl", ["-s", "--noproxy", "*", "-D", folder.path + "/head", "-o", folder.path + "/body", "--max-time", "30"] + arguments + [url])
        let status = await child.finished()
        guard status == 0 else { throw TestFailure("curl \(url): exit \(status)") }
        let head = try String(contentsOfFile: folder.path + "/head", encoding: .utf8)
        let code = Int(head.split(separator: " ").dropFirst().first ?? "0") ?? 0
        let body = (try? Data(contentsOf: URL(fileURLWithPath: folder.path + "/body"))) ?? Data()
        return Response(status: code, headers: headers(head.split(separator: "\r\n")), body: body)
    }

    /// The headers in the lines of a head, by name in lower case.
    static func headers(_ lines: [Substring]) -> [String: String] {
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1)
            if pair.count == 2 { headers[pair[0].lowercased()] = pair[1].trimmingCharacters(in: .whitespaces) }
        }
        return headers
    }
}
