import TintypeCore
import TintypeTransport

/// JSON-RPC over TCP: listens, and owns the connections.
@Loop
final class RPCServer {
    private var listener: Listener?
    /// Where it listens; the port is the real one when 0 was asked for.
    let address: SocketAddress
    private let connections: Connections

    /// - Parameter limits: how many connections it keeps open.
    /// - Throws: `NetError` when the address cannot be had.
    init(
        _ address: SocketAddress, limits: ConnectionLimits, dispatcher: Dispatcher, receipts: ReceiptTable, metrics: Metrics, logger: Logger
    ) throws(NetError) {
        let connections = Connections(metrics)
        let places = ConnectionRoom(limits) { metrics.add(.connectionsRefused, labels: "rpc", $0.rawValue) }
        let message = "too many connections are open; use those that there are, or try again in 1 s"
        // The framing of a client that has said nothing is not known: a line is what all of them can show.
        let refusal = RPCAnswer.failure(id: .null, TintypeError(.overloaded, .admission, message, details: ["retryAfter": 1])) + [10]
        let listener = try Listener(address, places: places, refusal: refusal) { stream in
            metrics.add(.rpcConnectionsAccepted)
            connections.add(
                Connection(stream, dispatcher: dispatcher, receipts: receipts, metrics: metrics, logger: logger, connections))
        }
        self.listener = listener
        self.address = listener.address
        self.connections = connections
    }

    var connectionCount: Int { connections.count }

    /// How long a stranger may be silent, or say other things, before the token comes that is asked for; of connections from now on.
    var entrance: Duration {
        get { connections.entrance }
        set { connections.entrance = newValue }
    }

    /// Ends the connections of sessions that are not let in any more; those that have shown nothing yet may stay and do so.
    func expel(_ door: Door) { connections.end { $0.token != nil && !door.admits($0) } }

    /// Takes no new connections; those that are there stay.
    func stopAccepting() {
        listener?.close()
        listener = nil
    }

    /// Ends every connection, once what was written to it is sent. The dispatcher has closed: whoever waits has been answered.
    /// - Parameter limit: how long that may take.
    func close(within limit: Duration) async {
        stopAccepting()
        connections.shutDown()
        await connections.untilClosed(within: limit)
        connections.end { _ in true }
    }
}

/// The open connections, and how many have ended and still send what was written to them.
@Loop
final class Connections {
    private var open: [ObjectIdentifier: Connection] = [:]
    private var closing = 0
    private var closed: OneShot<Void>?
    private let metrics: Metrics
    var entrance = Duration.seconds(10)

    init(_ metrics: Metrics) { self.metrics = metrics }

    var count: Int { open.count }

    func add(_ connection: Connection) {
        open[ObjectIdentifier(connection)] = connection
        metrics.set(.rpcConnections, Double(open.count))
    }

    /// A connection has ended; its stream closes when all is sent.
    func ended(_ connection: Connection) {
        guard open.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        closing += 1
        metrics.set(.rpcConnections, Double(open.count))
    }

    /// A connection that has ended is closed.
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
        let timer = LoopTimer(after: limit) { done.complete(.success(())) }
        try? await done.wait()
        timer.cancel()
    }
}
