import TintypeCore

/// One sentinel: a connection for questions, and another one that hears of switches. Both reconnect for ever.
///
/// Questions need a connection of their own, since one that has subscribed takes no other command.
@Loop
final class SentinelWatch {
    let address: SocketAddress
    private let client: RedisClient
    private let listener: RedisSubscriber
    private let scope: TaskScope
    private let name: String
    /// The sentinel's own identifier, once it is known.
    private(set) var identifier: String?
    /// The other sentinels that this one has listed last.
    private(set) var peers: [SentinelPeer] = []
    /// Called each time that the sentinel can be asked.
    var onConnected: (@Loop () -> Void)?
    /// Called when `identifier` or `peers` may have changed.
    var onPeers: (@Loop () -> Void)?

    /// - Parameters:
    ///   - name: the name of the Redis.
    ///   - connection: the name of the connections in `CLIENT LIST`.
    init(
        _ endpoint: RedisEndpoint, of name: String, connection: String, scope: TaskScope, logger: Logger, onSwitch: @escaping @Loop (SwitchMessage) -> Void
    ) {
        (address, self.name, self.scope) = (endpoint.address, name, scope)
        let logger = logger.with(["sentinel": name])
        client = RedisClient(endpoint, name: connection, logger: logger)
        listener = RedisSubscriber(endpoint, name: "\(connection)-switches", logger: logger)
        listener.subscribe(SwitchMessage.channel) { _, payload in
            if let message = SwitchMessage(payload) { onSwitch(message) }
        }
        client.onConnected.append { [weak self] in
            self?.learnSoon()
            self?.onConnected?()
        }
    }

    func start() {
        client.start()
        listener.start()
    }

    func stop() {
        client.stop()
        listener.stop()
    }

    var isConnected: Bool { client.isConnected }
    /// Whether messages about switches come.
    var isListening: Bool { listener.isConnected }

    /// Asks for the primary.
    /// - Throws: `RedisError`, `.reply` if this sentinel knows no Redis of the name.
    func ask(within time: Duration) async throws(RedisError) -> SentinelAnswer {
        let reply = try await client.command(["SENTINEL", "MASTER", .string(name)], timeout: time)
        guard let answer = SentinelAnswer(reply) else { throw .reply("the sentinel \(address) did not say where the primary is") }
        return answer
    }

    /// Asks for the other sentinels.
    func learnSoon() {
        scope.run("sentinels of \(address)") { [weak self] in
            guard let self else { return }
            if let identifier = try? await client.command(["SENTINEL", "MYID"]).string { self.identifier = identifier }
            if let reply = try? await client.command(["SENTINEL", "SENTINELS", .string(name)]) { peers = SentinelPeer.list(reply) }
            onPeers?()
        }
    }
}
