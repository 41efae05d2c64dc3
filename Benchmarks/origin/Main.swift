import Glibc
import TintypeCore
import TintypeTransport

/// A web server that misbehaves on request: the origin of the tests, the benchmarks and the quickstart.
///
///     origin [--listen 127.0.0.1:0] [--root FOLDER]
///
/// Prints `ready http=HOST:PORT pid=…`. `Script.swift` describes its paths and queries.
@main enum OriginMain {
    static func main() async {
        var address = "127.0.0.1:0"
        var root: String?
        for item in FlagParser([.init("listen"), .init("root")]).items(Array(CommandLine.arguments.dropFirst())) {
            guard case .flag(let name, let value) = item else { fail("usage: origin [--listen HOST:PORT] [--root FOLDER]", status: 2) }
            if name == "listen" { address = value } else { root = value }
        }
        await run(address, root)
    }

    @Loop private static func run(_ address: String, _ root: String?) async {
        ignoreBrokenPipes()
        do {
            let origin = try Origin(SocketAddress(address), root: root)
            let done = OneShot<Void>()
            let watches = [SIGTERM, SIGINT].map { signal in SignalWatch(signal) { _ = done.complete(.success(())) } }
            StandardStream.printLine("ready http=\(origin.address) pid=\(getpid())")
            try await done.wait()
            for watch in watches { watch.cancel() }
            origin.close()
        } catch {
            fail("origin: \(error)", status: 1)
        }
    }

    private static func fail(_ text: String, status: Int32) -> Never {
        StandardStream.printError(text)
        exit(status)
    }
}
