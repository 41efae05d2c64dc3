import TintypeCore
package import TintypeTransport

/// The JSON-RPC server over TCP: listens, and owns the connections.
@Loop
package final class RPCServer {
    private var listener: Listener?
    /// The address it listens on. The port is the real one when port 0 was asked for.
    package let address: SocketAddress
    private let connections: Connections

    /// - Parameters:
    ///   - transport: The carrier of the bytes.
    ///   - limits: The number of connections that may be open.
    ///   - proxies: The proxies that may name their clients.
    /// - Throws: `NetError` when it cannot listen on the address.
    init(
        _ address: SocketAddress, over transport: any Transport, limits: ConnectionLimits, proxies: TrustedProxies, dispatcher: Dispatcher,
        receipts: ReceiptTable, answers: LongAnswerBudget, metrics: Metrics, logger: Logger
    ) throws(NetError) {
        let connections = Connections(metrics)
        let connectionLimiter = ConnectionLimiter(limits) { metrics.add(.connectionsRefused, labels: "rpc", $0.rawValue) }
        let message = "too many connections are open: reuse an open connection, or try again in 1 s"
        // The framing of a new client is unknown. Every client can show a line, so the refusal is one.
        let refusal = RPCAnswer.failure(id: .null, TintypeError(.overloaded, .admission, message, details: ["retryAfter": 1])) + [10]
        let listener = try Listener(address, over: transport, connectionLimiter: connectionLimiter, proxies: proxies, refusal: refusal) { stream in
            metrics.add(.rpcConnectionsAccepted)
            connections.add(Connection(stream, dispatcher: dispatcher, receipts: receipts, metrics: metrics, logger: logger, answers: answers, connections))
        }
        self.listener = listener
        self.address = listener.address
        self.connections = connections
    }

    var connectionCount: Int { connections.count }

    /// The time in which a new connection must authenticate. A change applies to later connections.
    var authenticationTimeout: Duration {
        get { connections.authenticationTimeout }
        set { connections.authenticationTimeout = newValue }
    }

    /// Ends the connections whose token or certificate is no longer accepted. Connections that have not sent a token yet may stay and do so.
    package func expel(_ access: AccessControl) { connections.end { ($0.token != nil || $0.grant != nil) && !access.admits($0) } }

    /// Accepts no new connections. The open ones stay.
    func stopAccepting() {
        listener?.close()
        listener = nil
    }

    /// Ends every connection once its written output is sent. The dispatcher is closed by then, so every waiting client has been answered.
    /// - Parameter limit: The longest time for this.
    package func close(within limit: Duration) async {
        stopAccepting()
        connections.shutDown()
        await connections.untilClosed(within: limit)
        connections.end { _ in true }
    }
}

/// The open connections, and the number of ended ones that still send their output.
@Loop
final class Connections {
    private var open: [ObjectIdentifier: Connection] = [:]
    private var closing = 0
    private var closed: OneShot<Void>?
    private let metrics: Metrics
    var authenticationTimeout = Duration.seconds(10)

    init(_ metrics: Metrics) { self.metrics = metrics }

    var count: Int { open.count }

    func add(_ connection: Connection) {
        open[ObjectIdentifier(connection)] = connection
        metrics.set(.rpcConnections, Double(open.count))
    }

    /// Moves an ended connection to those that still send their output.
    func ended(_ connection: Connection) {
        guard open.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        closing += 1
        metrics.set(.rpcConnections, Double(open.count))
    }

    /// Counts down when the stream of an ended connection is closed.
    func streamClosed() {
        closing -= 1
        if closing == 0, open.isEmpty { closed?.complete(.success(())) }
    }

    func shutDown() { for connection in open.values { connection.shutDown() } }

    func end(_ isMeant: (Session) -> Bool) { for connection in open.values where isMeant(connection.session) { connection.end() } }

    func untilClosed(within limit: Duration) async {
        guard closing > 0 || !open.isEmpty else { return }
        let done = OneShot<Void>()
        closed = done
        try? await done.wait(within: limit, orElse: .success(()))
    }
}
