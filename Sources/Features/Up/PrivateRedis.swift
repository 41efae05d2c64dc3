import Glibc
import TintypeCore
import TintypeTransport

/// The way the private Redis is started: it listens on a socket file only, evicts nothing and appends every write to its file.
struct PrivateRedis: Sendable {
    let program: String
    let socket: String
    private let folder: String
    /// The memory limit in bytes. New requests are refused before Redis reaches it.
    let memory: Int

    /// - Throws: `UpFailure` when `redis-server` is missing, or when the folder's name does not work for a socket.
    init(folder: String, memory: Int?, environment: [String: String]) throws(UpFailure) {
        let places = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map { "\($0)/redis-server" }
        guard let found = places.first(where: { access($0, X_OK) == 0 }) else {
            throw UpFailure("redis-server is not installed: apt-get install redis-server, or name a Redis with --redis URL")
        }
        program = found
        self.folder = folder + "/redis"
        self.memory = memory ?? MachineMemory.usable() / 4
        socket = folder + "/redis/redis.sock"
        guard !socket.contains("?") else { throw UpFailure("\(folder) contains a question mark: name another folder with --data DIR") }
        guard socket.utf8.count < 104 else { throw UpFailure("\(folder) is too long for a socket path: name a shorter folder with --data DIR") }
    }

    var url: String { "unix://\(socket)" }

    var arguments: [String] {
        [
            "--port", "0", "--unixsocket", socket, "--unixsocketperm", "700", "--dir", folder, "--daemonize", "no", "--save", "",
            "--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory", String(memory), "--maxmemory-policy", "noeviction", "--loglevel", "warning",
            "--logfile", "",
        ]
    }

    /// Waits until Redis answers.
    @Loop func untilReady(_ child: SpawnedProcess, logger: Logger) async throws(UpFailure) {
        guard let endpoint = try? RedisEndpoint(url) else { throw UpFailure("\(url) is not a valid address for Redis: name another folder with --data DIR") }
        let quiet = Logger(label: "up", level: .error)
        let client = RedisClient(endpoint, name: "tintype-up", logger: quiet)
        client.start()
        defer { client.stop() }
        for _ in 0..<300 {
            if let end = child.end { throw UpFailure("redis-server ended with \(end); its output is above") }
            do throws(RedisError) {
                try await client.untilConnected(within: .milliseconds(200))
                _ = try await client.command(["PING"])
                return
            } catch {
                // Redis is loading its file (LOADING) or is not listening yet: ask again.
                try? await Loop.sleep(.milliseconds(50))
            }
        }
        throw UpFailure("redis-server did not answer within a minute")
    }
}
