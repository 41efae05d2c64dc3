import Glibc
import TintypeCore
import TintypeTransport

/// Pings and loads of a client without a backlog, each kind on its own connection. A process of its own times them, because the process that fills
/// or ends a backlog is too busy to read the clock.
///
/// `SIGUSR1` prints the figures since the last `SIGUSR1`. `SIGUSR2` starts or pauses the load.
@Loop
final class BesideLoad {
    private let pinger: LoadConnection
    private let loader: LoadConnection
    private let run_ = Digest.randomHex(bytes: 4)
    private var pings = Latencies()
    private var loads = Latencies()
    private var pinged: [Int: ContinuousClock.Instant] = [:]
    private var loading: [Int: ContinuousClock.Instant] = [:]
    private var next = 0
    private var timers: [LoopTimer] = []
    private var signals: [SignalWatch] = []
    private let first = OneShot<Void>()

    init(_ address: SocketAddress) async throws {
        (pinger, loader) = (try await LoadConnection.connect(address), try await LoadConnection.connect(address))
        pinger.onAnswer = { [unowned self] number, _ in
            if let start = pinged.removeValue(forKey: number) { pings.add(.now - start) }
        }
        loader.onAnswer = { [unowned self] number, _ in
            if let start = loading.removeValue(forKey: number) { loads.add(.now - start) }
            first.complete(.success(()))
        }
    }

    /// Runs until it is killed. The first load is not timed, because it may find no worker yet.
    func run() async throws -> Never {
        load()
        try await first.wait()
        loads = Latencies()
        signals = [
            SignalWatch(SIGUSR1) { [unowned self] in StandardStream.printLine(take()) },
            SignalWatch(SIGUSR2) { [unowned self] in timers.isEmpty ? start() : pause() },
        ]
        StandardStream.printLine("ready")
        while true { try await Loop.sleep(.seconds(3600)) }
    }

    private func start() {
        timers = [
            LoopTimer(after: .milliseconds(10), repeating: true) { [unowned self] in ping() },
            LoopTimer(after: .milliseconds(100), repeating: true) { [unowned self] in load() },
        ]
    }

    private func pause() { timers = [] }

    /// Returns the figures since the last call. A request without an answer counts with its age.
    private func take() -> String {
        for start in pinged.values { pings.add(.now - start) }
        for start in loading.values { loads.add(.now - start) }
        defer { (pings, loads) = (Latencies(), Latencies()) }
        return pings.words(of: "ping_") + " " + loads.words(of: "load_")
    }

    private func ping() {
        next += 1
        pinged[next] = .now
        pinger.send(next, "system.ping", Array("{}".utf8))
    }

    private func load() {
        next += 1
        loading[next] = .now
        let params = #"{"url":"data:,\#(run_)-\#(next)","as":"bytes","deliver":"none","cache":{"read":[],"write":[],"ttl":0},"deadline":60}"#
        loader.send(next, "image.load", Array(params.utf8))
    }
}

/// A `BesideLoad` in a process of its own.
@Loop
final class BesideProcess {
    struct Figures {
        fileprivate let words: String

        func named(_ prefix: String) -> String { words.split(separator: " ").map { prefix + $0 }.joined(separator: " ") }
    }

    /// The process does not answer: it has ended, or its coordinator does not answer.
    struct Silence: Error, CustomStringConvertible {
        var description: String { "the process that times pings and loads does not answer: check that its coordinator runs" }
    }

    private static let patience = Duration.seconds(60)

    private var child: SpawnedProcess?
    private var waiting: [OneShot<String>] = []
    private let ready = OneShot<Void>()

    init(_ address: SocketAddress) throws {
        child = try SpawnedProcess(path: "/proc/self/exe", arguments: ["beside", "--coordinator", "\(address)"], environment: [:]) { [weak self] line in
            guard let self else { return }
            if line == "ready" { ready.complete(.success(())) } else if !waiting.isEmpty { waiting.removeFirst().complete(.success(line)) }
        }
    }

    /// - Throws: `Silence` when the process does not start.
    func untilReady() async throws { try await patiently(ready) }

    func start() { child?.send(SIGUSR2) }
    func pause() { child?.send(SIGUSR2) }
    func stop() { child?.send(SIGKILL) }

    /// Returns the figures since the last call.
    /// - Throws: `Silence`.
    func take() async throws -> Figures {
        let line = OneShot<String>()
        waiting.append(line)
        child?.send(SIGUSR1)
        return Figures(words: try await patiently(line))
    }

    private func patiently<Value: Sendable>(_ answer: OneShot<Value>) async throws -> Value {
        let timer = LoopTimer(after: Self.patience) { answer.complete(.failure(Silence())) }
        defer { timer.cancel() }
        return try await answer.wait()
    }
}
