import Foundation
import Synchronization
import Testing

@testable import TintypeClient

/// A whole service of real processes, on ports of the kernel's choice: Redis, coordinators, workers, and an origin that misbehaves on request.
final class Service: Sendable {
    private struct State {
        var coordinators: [Program] = []
        var workers: [Program] = []
        var redis: Program?
        var pictures = 0
    }

    let folder: URL
    let origin: Program
    private let web: HTTPHost
    private let loop = Loop()
    private let state = Mutex(State())

    /// Starts a service, and stops it after the body.
    static func run(
        coordinators: Int = 1, workers: Int = 1, coordinatorArguments: [String] = [], workerArguments: [String] = [],
        _ body: (Service) async throws -> Void
    ) async throws {
        let service = try await start(coordinators: coordinators, workers: workers, coordinatorArguments, workerArguments)
        let result: Result<Void, any Error>
        do { result = .success(try await body(service)) } catch { result = .failure(error) }
        await service.stop()
        try result.get()
    }

    static func start(coordinators: Int = 1, workers: Int = 1, _ coordinatorArguments: [String] = [], _ workerArguments: [String] = []) async throws -> Service
    {
        let service = try Service()
        try service.startRedis()
        for _ in 0..<coordinators { try service.startCoordinator(coordinatorArguments) }
        for _ in 0..<workers { try service.startWorker(workerArguments) }
        return service
    }

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tintype-swift-\(ReceiptID.make())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        origin = try Program("origin", [])
        web = HTTPHost(
            try Address("http://\(origin.words["http"]!)"), loop: loop, dial: Dial(loop: loop, tls: nil), connectTimeout: .seconds(60), silence: .seconds(60))
    }

    var coordinators: [Program] { state.withLock { $0.coordinators } }
    var workers: [Program] { state.withLock { $0.workers } }
    var redis: Program { state.withLock { $0.redis! } }

    func startRedis() throws {
        let options = ["--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "yes", "--dir", folder.path, "--maxmemory-policy", "noeviction"]
        let redis = try Program(try Program.find("redis-server"), options)
        state.withLock { $0.redis = redis }
    }

    private var socket: String { folder.appending(path: "redis.sock").path }

    private var common: [String] {
        ["--redis", "unix://\(socket)", "--results", "file://\(folder.path)/results", "--log-level", ProcessInfo.processInfo.environment["SHOW"] ?? "error"]
    }

    /// Starts one more coordinator; at the ports of an old one, if there is one.
    @discardableResult
    func startCoordinator(_ more: [String] = [], inPlaceOf old: Program? = nil) throws -> Program {
        let places = ["--listen", old?.words["rpc"] ?? "127.0.0.1:0", "--http", old?.words["http"] ?? "127.0.0.1:0"]
        let program = try Program("tintype-coordinator", common + places + more)
        state.withLock { state in
            if let old, let place = state.coordinators.firstIndex(where: { $0 === old }) {
                state.coordinators[place] = program
            } else {
                state.coordinators.append(program)
            }
        }
        return program
    }

    @discardableResult
    func startWorker(_ more: [String] = []) throws -> Program {
        let program = try Program("tintype-worker", common + ["--allow-addresses", "127.0.0.0/8"] + more)
        state.withLock { $0.workers.append(program) }
        return program
    }

    func tcp(_ index: Int = 0) -> String { "tcp://\(coordinators[index].words["rpc"]!)" }
    func http(_ index: Int = 0) -> String { "http://\(coordinators[index].words["http"]!)" }

    /// The coordinator that a client uses.
    func used(_ tintype: Tintype) -> Program {
        coordinators.first { tintype.coordinator.hasSuffix($0.words["rpc"]!) || tintype.coordinator.hasSuffix($0.words["http"]!) }!
    }

    // MARK: - The origin

    /// A picture of the origin under a URL that nobody has asked for.
    func picture(_ path: String = "/picture.png?size=240x180") -> String {
        let number = state.withLock { state in
            state.pictures += 1
            return state.pictures
        }
        return "http://\(origin.words["http"]!)\(path)\(path.contains("?") ? "&" : "?")n=\(number)"
    }

    /// How often the origin was asked for a URL.
    func asked(_ url: String) async throws -> Int {
        let counts = try JSON(parsing: try await askOrigin("/_counts").body)["counts"]
        return counts?[String(url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" })]?.intValue ?? 0
    }

    /// Waits until the origin was asked for a URL.
    func waitForDownload(_ url: String, times: Int = 1) async throws {
        try await eventually("the download of \(url)") { try await asked(url) >= times }
    }

    /// Lets one request at a gate of the origin pass, as soon as it is there.
    func open(_ gate: String, _ count: Int = 1) async throws {
        for _ in 0..<count {
            try await eventually("a request at the gate \(gate)") { try await askOrigin("/_open?gate=\(gate)").status == 200 }
        }
    }

    private func askOrigin(_ path: String) async throws -> HTTPAnswer {
        switch await web.exchange(HTTPRequest(path: path), until: .now + .seconds(60)) {
        case .success(let answer): return answer
        case .failure(let failure): throw failure
        }
    }

    func stop() async {
        for program in workers + coordinators + [origin] {
            program.send(SIGCONT)
            await program.end()
        }
        if let redis = state.withLock({ $0.redis }) {
            redis.send(SIGCONT)
            await redis.end()
        }
        web.close()
        loop.stop()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// A way to a service, and a client over it.
enum Way: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case tcp, http

    var testDescription: String { rawValue }

    /// The addresses of all coordinators.
    func addresses(_ service: Service) -> [String] {
        service.coordinators.indices.map { self == .tcp ? service.tcp($0) : service.http($0) }
    }

    /// A client with the patience of a busy machine.
    func client(_ service: Service, _ change: (inout Tintype.Options) -> Void = { _ in }) throws -> Tintype {
        var options = Tintype.Options()
        options.defaults = ImageRequest(deadline: 300)
        options.http = self == .tcp ? service.http() : nil
        change(&options)
        return try Tintype(addresses(service).joined(separator: ","), options: options)
    }
}
