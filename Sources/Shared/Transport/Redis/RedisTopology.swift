package import TintypeCore

/// Where the primary of a Redis is. Clients and subscribers open their connections here, each time anew.
///
/// A `RedisEndpoint` is the simplest topology: one server, which is always the primary. `SentinelTopology` asks sentinels. A topology that learns of
/// another primary closes all connections to the old one, and their owners open new ones. A `ClusterTopology` has several primaries.
package protocol RedisTopology: Sendable {
    /// The address for logs, without the login.
    var redacted: String { get }
    /// The time for an answer. After it a connection is given up and another one made.
    var timeout: Duration { get }
    /// The primary and its switches as they are known now.
    @Loop var primaryStatus: PrimaryStatus { get }

    /// Connects to the primary and logs in.
    /// - Parameter name: the name in `CLIENT LIST`, without spaces.
    /// - Throws: `RedisError.unavailable` when there is no primary, or no connection to it.
    @Loop func open(name: String) async throws(RedisError) -> RedisConnection
    /// Returns the Redis for connections that wait for keys of a tag, or listen to its channels: a part of a cluster, else the whole.
    @Loop func part(of tag: RedisTag) -> any RedisTopology
    /// Follows a refusal by which a server names another one.
    /// - Parameter asked: the server that refused.
    /// - Returns: false if this is no cluster, where a command must not meet such a refusal.
    @Loop func follow(_ redirect: ClusterRedirect, from asked: SocketAddress) -> Bool
    /// Notes that a connection to a server has broken or is silent, or that the server cannot serve now. It may have a successor.
    @Loop func doubt(_ server: SocketAddress)
    /// Counts one more user. The first one starts the search for the primary.
    @Loop func begin()
    /// Counts one user less. The last one stops it.
    @Loop func end()
}

/// The primary of a topology and its switches, for metrics.
package struct PrimaryStatus: Sendable, Hashable {
    /// The address of the server that takes writes; nil while none is known.
    package var primary: SocketAddress?
    /// How often another server has become the primary since the start.
    package var switches = 0
    /// How often the servers that have the keys have changed since the start; in a cluster also by slots that move.
    package var changes = 0
    /// The sentinels that are connected; nil for a Redis without sentinels.
    package var sentinels: Int?

    /// Sets the metrics to these values.
    package func sample(_ metrics: Metrics) {
        metrics.reset(.redisPrimary)
        if let primary { metrics.set(.redisPrimary, 1, labels: primary.description) }
        metrics.set(.redisSwitches, Double(switches))
        metrics.set(.redisTopologyChanges, Double(changes))
        if let sentinels { metrics.set(.redisSentinels, Double(sentinels)) }
    }
}

extension RedisTopology {
    @Loop package func part(of tag: RedisTag) -> any RedisTopology { self }
    @Loop package func follow(_ redirect: ClusterRedirect, from asked: SocketAddress) -> Bool { false }
    @Loop package func doubt(_ server: SocketAddress) {}

    /// Puts the same question to several servers at the same time, and waits for their answers.
    /// - Parameters:
    ///   - patience: the longest wait if one has answered.
    ///   - limit: the longest wait.
    ///   - question: asks one server.
    /// - Returns: the answers that have come, in the order in which they came.
    @Loop func ask<Server: Sendable, Answer: Sendable>(
        _ servers: [Server], patience: Duration, within limit: Duration, _ question: @escaping @Loop (Server) async throws(RedisError) -> Answer
    ) async -> [(server: Server, answer: Result<Answer, RedisError>)] {
        guard !servers.isEmpty else { return [] }
        let (answers, all, questions) = (Answers<Server, Answer>(), OneShot<Void>(), TaskScope())
        for server in servers {
            questions.run("ask a server of Redis") {
                do throws(RedisError) {
                    answers.all.append((server, .success(try await question(server))))
                    answers.hasSuccess = true
                } catch {
                    answers.all.append((server, .failure(error)))
                }
                if answers.all.count == servers.count { all.complete(.success(())) }
            }
        }
        let enough = LoopTimer(after: patience, repeating: true) { if answers.hasSuccess { all.complete(.success(())) } }
        try? await all.wait(within: limit, orElse: .success(()))
        enough.cancel()
        questions.cancelAll()
        return answers.all
    }
}

/// The answers to one question that have come so far.
@Loop private final class Answers<Server, Answer> {
    var all: [(server: Server, answer: Result<Answer, RedisError>)] = []
    var hasSuccess = false
}

extension RedisEndpoint: RedisTopology {
    @Loop package var primaryStatus: PrimaryStatus { PrimaryStatus(primary: address) }
    @Loop package func open(name: String) async throws(RedisError) -> RedisConnection { try await RedisConnection.open(self, name: name) }
    @Loop package func begin() {}
    @Loop package func end() {}
}

/// The topologies of a process: connections to the same Redis share the knowledge of its primaries.
///
/// A process has several clients of one Redis: for commands, for events, and for stores. Without this class each of them would ask the sentinels, or the
/// cluster.
@Loop
package final class RedisTopologies {
    /// The files for URLs of `rediss:`, `sentinels:` and `clusters:`.
    package let tls: TLSClientFiles
    private var known: [RedisURL: any RedisTopology] = [:]

    package init(tls: TLSClientFiles = TLSClientFiles()) { self.tls = tls }

    /// Returns the topology of a URL, the same one for the same URL.
    /// - Parameter name: the name of the connections that ask for the primaries, in `CLIENT LIST`, without spaces.
    package func topology(of url: RedisURL, name: String, logger: Logger) -> any RedisTopology {
        if let known = known[url] { return known }
        let topology: any RedisTopology =
            switch url {
            case .server(let endpoint): endpoint
            case .sentinels(let url): SentinelTopology(url, name: name, logger: logger)
            case .cluster(let url): ClusterTopology(url, name: name, logger: logger)
            }
        known[url] = topology
        return topology
    }
}

/// The answer of a server to `ROLE`. Only a primary takes writes.
package enum RedisRole: Sendable, Hashable, CustomStringConvertible {
    case primary
    /// A replica of this server.
    case replica(of: String)
    case sentinel
    /// The ACL of the user lacks `+role`.
    case notPermitted
    /// An answer that is none of these, by its first word.
    case other(String)

    package init(_ reply: RedisReply) {
        if case .error(let text) = reply {
            self = RedisErrorReply(text) == .notPermitted ? .notPermitted : .other(text)
            return
        }
        let words = (reply.array ?? []).map { $0.string ?? "" }
        self =
            switch words.first {
            case "master": .primary
            case "slave" where words.count > 2: .replica(of: "\(words[1]):\(words[2])")
            case "sentinel": .sentinel
            case let word: .other(word ?? "nothing")
            }
    }

    package var description: String {
        switch self {
        case .primary: "the primary"
        case .replica(let primary): "a replica of \(primary)"
        case .sentinel: "a sentinel"
        case .notPermitted: "not for this user to ask: the ACL of the user lacks +role"
        case .other(let text): text
        }
    }
}
