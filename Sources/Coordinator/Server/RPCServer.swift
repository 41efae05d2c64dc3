import Shared

/// JSON-RPC over TCP: listens, and owns the connections.
@Loop
final class RPCServer {
    private var listener: Listener?
    /// Where it listens; the port is the real one when 0 was asked for.
    let address: SocketAddress
    private let connections: Connections

    /// - Throws: `NetError` when the address cannot be had.
    init(_ address: SocketAddress, dispatcher: Dispatcher, receipts: ReceiptTable, metrics: Metrics, logger: Logger) throws(NetError) {
        let connections = Connections(metrics)
        let listener = try Listener(address) { stream in
            metrics.add(.rpcConnectionsAccepted)
            connections.add(
                Connection(stream, dispatcher: dispatcher, receipts: receipts, metrics: metrics, logger: logger) { connections.remove($0) })
        }
        self.listener = listener
        self.address = listener.address
        self.connections = connections
    }

    var connectionCount: Int { connections.count }

    /// Takes no new connections; those that are there stay.
    func stopAccepting() {
        listener?.close()
        listener = nil
    }

    /// Ends every connection.
    func close() {
        stopAccepting()
        connections.endAll()
    }
}

/// The open connections.
@Loop
private final class Connections {
    private var open: [ObjectIdentifier: Connection] = [:]
    private let metrics: Metrics

    init(_ metrics: Metrics) { self.metrics = metrics }

    var count: Int { open.count }

    func add(_ connection: Connection) {
        open[ObjectIdentifier(connection)] = connection
        metrics.set(.rpcConnections, Double(open.count))
    }

    func remove(_ connection: Connection) {
        open[ObjectIdentifier(connection)] = nil
        metrics.set(.rpcConnections, Double(open.count))
    }

    func endAll() { for connection in open.values { connection.end() } }
}
