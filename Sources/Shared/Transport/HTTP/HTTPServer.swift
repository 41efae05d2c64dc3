/// An HTTP/1.1 server on the loop. It hands each complete request to one handler.
///
/// The server limits heads and bodies, and a `BodyLimiter` decides how much of a body is accepted. The handler answers through the `HTTPExchange`, at
/// once or later. The coordinator and the worker each own a server.
@Loop
package final class HTTPServer {
    /// The reason for which the server could not start.
    package struct BindError: Error, CustomStringConvertible {
        package let description: String
    }

    /// How long an idle, half-received or stuck connection is kept. A handler may take longer.
    package nonisolated static let patience = Duration.seconds(60)

    /// The address of the server, with the real port if 0 was given.
    package let address: SocketAddress
    private let listener: Listener
    private let service: HTTPService
    private var isClosed = false
    private var isClosing = false

    /// Starts to listen.
    /// - Parameters:
    ///   - address: a numeric TCP address; port 0 lets the kernel choose.
    ///   - transport: the carrier of the bytes.
    ///   - maxBody: the maximum length of a request body in bytes. Longer ones are refused.
    ///   - bodyLimiter: the policy for bodies; nil accepts every body that is not too long.
    ///   - pace: the slowest rates for heads, bodies and long answers.
    ///   - connectionLimiter: the limits for open connections; nil for the defaults.
    ///   - proxies: the proxies that are believed when they name a client.
    ///   - unsent: the limit for the memory of answers, which several servers may share; nil for one of its own.
    ///   - handler: called on the loop for each request of a known method (GET, HEAD, POST, PUT, DELETE).
    /// - Throws: `BindError` if the server cannot listen on the address.
    package init(
        _ address: SocketAddress, over transport: any Transport = PlainTransport(), maxBody: Int, bodyLimiter: (any BodyLimiter)? = nil,
        pace: MinimumBodyRate = .usual,
        connectionLimiter: ConnectionLimiter? = nil, proxies: TrustedProxies = .none, unsent: AnswerBudget? = nil,
        _ handler: @escaping @Loop (HTTPExchange) -> Void
    ) throws(BindError) {
        guard case .tcp = address else { throw BindError(description: "HTTP is served on a TCP address, not on \(address)") }
        let (connectionLimiter, service) = (
            connectionLimiter ?? ConnectionLimiter(),
            HTTPService(
                maxBody: maxBody, bodyLimiter: bodyLimiter ?? UnboundedBodyLimiter(), pace: pace, proxies: proxies, unsent: unsent ?? AnswerBudget(), handler)
        )
        let reception = Reception(over: transport, connectionLimiter, proxies) {
            service.bodyLimiter.refusal(of: HTTPHead([]), from: ConnectionPeer(address: ""), because: .tooManyConnections).bytes
        } _: { socket, client, permit in
            service.open(socket.wire(over: transport), from: client, permit)
        }
        do throws(NetError) {
            listener = try Listener(address, reception)
        } catch {
            throw BindError(description: "\(error)")
        }
        // Accepted sockets inherit these. The connections themselves limit the time for which a client takes nothing.
        KeepAlive.set(on: listener.descriptor, limitsOutput: false)
        TCPOption.promptSending.set(on: listener.descriptor)
        (self.address, self.service) = (listener.address, service)
    }

    /// The number of open connections.
    package var connectionCount: Int { service.connections.count }

    /// The number of unread bytes in the fullest connection.
    var mostHeldInput: Int { service.connections.values.map(\.heldInput).max() ?? 0 }

    /// The number of requests that have not been answered to the last byte.
    package var openExchanges: Int { service.busy }

    /// Stops listening, waits until pending answers are sent, but not longer than `limit`, and closes.
    package func close(within limit: Duration) async {
        guard !isClosed, !isClosing else { return }
        isClosing = true
        listener.close()
        if service.busy > 0 {
            let quiet = OneShot<Void>()
            service.onQuiet = { quiet.complete(.success(())) }
            try? await quiet.wait(within: limit, orElse: .success(()))
        }
        close()
    }

    /// Stops listening and drops every connection. Open exchanges get `onClosed`, and later answers are dropped.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        listener.close()
        service.closeAll()
    }

    isolated deinit { close() }
}
