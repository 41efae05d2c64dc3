import Foundation
import Synchronization
import Testing

@testable import TintypeClient

/// A whole service of real processes, on ports of the kernel's choice: Redis, coordinators, a worker, and an origin that misbehaves on request.
final class Service: Sendable {
    let folder: URL
    let origin: Program
    private let web: HTTPHost
    private let loop = Loop()
    private let programs = Mutex<[Program]>([])
    private let started = Mutex<[Program]>([])
    private let pictures = Shared(0)

    /// Starts a service, and stops it after the body.
    static func run(_ body: (Service) async throws -> Void) async throws {
        let service = try start()
        let result: Result<Void, any Error>
        do { result = .success(try await body(service)) } catch { result = .failure(error) }
        await service.stop()
        try result.get()
    }

    static func start() throws -> Service {
        let service = try Service()
        let store = ["--port", "0", "--unixsocket", service.socket, "--save", "", "--dir", service.folder.path, "--maxmemory-policy", "noeviction"]
        try service.start(try Program.find("redis-server"), store)
        try service.startCoordinator()
        try service.start("tintype-worker", service.common + ["--allow-addresses", "127.0.0.0/8"])
        return service
    }

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tintype-swift-\(ReceiptID.make())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        origin = try Program("origin", [])
        web = HTTPHost(
            try Address("http://\(origin.words["http"]!)"), loop: loop, dial: Dial(loop: loop, tls: nil), connectTimeout: .seconds(60), silence: .seconds(60))
    }

    private var socket: String { folder.appending(path: "redis.sock").path }

    private var common: [String] {
        ["--redis", "unix://\(socket)", "--results", "file://\(folder.path)/results", "--log-level", ProcessInfo.processInfo.environment["SHOW"] ?? "error"]
    }

    var coordinators: [Program] { programs.withLock { $0 } }

    /// Starts one more coordinator.
    @discardableResult
    func startCoordinator(_ more: [String] = []) throws -> Program {
        let program = try start("tintype-coordinator", common + ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"] + more)
        programs.withLock { $0.append(program) }
        return program
    }

    @discardableResult
    private func start(_ name: String, _ arguments: [String]) throws -> Program {
        let program = try Program(name, arguments)
        started.withLock { $0.append(program) }
        return program
    }

    func tcp(_ index: Int = 0) -> String { "tcp://\(coordinators[index].words["rpc"]!)" }
    func http(_ index: Int = 0) -> String { "http://\(coordinators[index].words["http"]!)" }

    // MARK: - The origin

    /// A picture of the origin under a URL that nobody has asked for.
    func picture(_ path: String = "/picture.png?size=240x180") -> String {
        pictures.change { $0 += 1 }
        return "http://\(origin.words["http"]!)\(path)\(path.contains("?") ? "&" : "?")n=\(pictures.value)"
    }

    /// Waits until the origin was asked for a URL.
    func waitForDownload(_ url: String) async throws {
        let path = String(url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" })
        try await eventually("the download of \(url)") {
            switch await web.exchange(HTTPRequest(path: "/_counts"), until: .now + .seconds(60)) {
            case .success(let answer): try JSON(parsing: answer.body)["counts"]?[path]?.intValue ?? 0 > 0
            case .failure(let failure): throw failure
            }
        }
    }

    func stop() async {
        for program in started.withLock({ $0.reversed() }) + [origin] { await program.end() }
        web.close()
        loop.stop()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// A way to a service, and a client over it.
enum Way: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case tcp, http

    var testDescription: String { rawValue }

    /// A client with the patience of a busy machine.
    func client(_ service: Service, _ change: (inout Tintype.Options) -> Void = { _ in }) throws -> Tintype {
        var options = Tintype.Options()
        options.defaults = ImageRequest(deadline: 300)
        options.http = self == .tcp ? service.http() : nil
        change(&options)
        return try Tintype(self == .tcp ? service.tcp() : service.http(), options: options)
    }
}
