import Glibc
import TintypeCore
import TintypeTransport

/// The load generator behind `scripts/bench`: drives a coordinator over JSON-RPC and prints its figures as `name=value` words.
///
///     loadgen rpc    --coordinator HOST:PORT --url URL [--connections 4] [--pipeline 64] [--seconds 5]
///
///     loadgen paced  --coordinator HOST:PORT [--rate 100] [--seconds 10]
///
///     loadgen flat   --coordinator HOST:PORT [--count 5000]
///
///     loadgen images --coordinator HOST:PORT --url URL [--count 100] [--pipeline 2] --request JSON
///
///     loadgen soak   --coordinator HOST:PORT,… --origin URL [--seconds 60] [--window 32] [--images HOST:PORT,… --keys FILE] [--forgets yes]
///
///     loadgen depth  --redis URL [--queued 100000] [--count 2000]
///
///     loadgen backlog --coordinator HOST:PORT --redis URL --coordinator-pid PID --redis-pid PID [--queued 100000] [--seconds 10] [--due SECONDS]
///                     [--queue NAME] [--end late|work]
///
///     loadgen beside --coordinator HOST:PORT
///
/// - `rpc` repeats one cached `image.load`.
/// - `paced` submits fetches that do nothing at an even rate, and times them from the submit to the terminal event.
/// - `flat` submits the same fetches as fast as they are answered.
/// - `images` loads distinct URLs (URL?n=…).
/// - `soak` keeps all kinds of work in flight while processes are killed. It fails unless every receipt has ended exactly once.
///   Browsers ask for pictures at the picture doors of `--images`: each must be right, or a failure that the documents name.
/// - `depth` times only the queue's scripts, with few and with many waiting fetches.
/// - `backlog` lets many receipts wait and end in one second, and times the other clients meanwhile.
/// - `beside` is the process that `backlog` starts for these timings.
@main enum LoadMain {
    static func main() async {
        guard let mode = CommandLine.arguments.dropFirst().first else { fail("usage: loadgen rpc|paced|flat|images|soak|depth|backlog --name value …") }
        var options: [String: String] = [:]
        for item in Options.flags.items(Array(CommandLine.arguments.dropFirst(2))) {
            if let mistake = item.mistake { fail("loadgen: \(mistake)") }
            if case .flag(let name, let value) = item { options[name] = value }
        }
        await run(mode, Options(values: options))
    }

    @Loop private static func run(_ mode: String, _ options: Options) async {
        ignoreBrokenPipes()
        do {
            if mode == "soak" { return StandardStream.printLine(try await SoakLoad(options).run()) }
            if mode == "depth" { return StandardStream.printLine(try await DepthLoad(options).run()) }
            let address = try SocketAddress(options.text("coordinator", "127.0.0.1:7411"))
            let line =
                switch mode {
                case "rpc": try await CachedLoad(address, options).run()
                case "paced": try await PacedLoad(address, options).run()
                case "flat": try await FlatLoad(address, options).run()
                case "backlog": try await BacklogLoad(address, options).run()
                case "beside": try await BesideLoad(address).run()
                case "images": try await ImageLoad(address, options).run()
                default: fail("loadgen: unknown mode \(mode)")
                }
            StandardStream.printLine(line)
        } catch {
            fail("loadgen: \(error)")
        }
    }

    private static func fail(_ text: String) -> Never {
        StandardStream.printError(text)
        exit(1)
    }
}

/// The options of the command line.
struct Options: Sendable {
    /// The options of all modes.
    static let flags = FlagParser(
        [
            "coordinator", "coordinator-pid", "redis", "redis-pid", "origin", "url", "request", "connections", "pipeline", "seconds", "rate", "count", "window",
            "forgets",
            "queued", "due", "queue", "end", "images", "keys",
        ].map { .init($0) })

    let values: [String: String]

    func text(_ name: String, _ fallback: String) -> String { values[name] ?? fallback }
    func number(_ name: String, _ fallback: Int) -> Int { values[name].flatMap { Int($0) } ?? fallback }
}
