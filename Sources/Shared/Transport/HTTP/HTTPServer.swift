import CEvent
import Glibc

/// An HTTP/1.1 server on libevent's evhttp. It hands each complete request to one handler on the loop.
///
/// evhttp reads and limits the request, and a `BodyLimiter` decides how much of a body is accepted. The handler answers through the `HTTPExchange`, at
/// once or later. The coordinator and the worker each own a server.
@Loop
package final class HTTPServer {
    /// The reason for which the server could not start.
    package struct BindError: Error, CustomStringConvertible {
        package let description: String
    }

    /// How long an idle, half-received or stuck connection is kept. A handler may take longer.
    package static let patience = Duration.seconds(60)

    /// The address of the server, with the real port if 0 was given.
    package let address: SocketAddress
    private let http: OpaquePointer
    private let socket: OpaquePointer
    private let rest: AcceptBackoff?
    private let handler: @Loop (HTTPExchange) -> Void
    private let transport: any Transport
    private let door: any BodyLimiter
    private let pace: MinimumBodyRate
    private let places: ConnectionRoom
    private var open: [ObjectIdentifier: HTTPExchange] = [:]
    /// The connections by their buffers.
    private var connections: [OpaquePointer: HTTPConnection] = [:]
    private var isClosed = false
    private var isListening = true
    /// Completed when all answers are sent.
    private var quiet: OneShot<Void>?

    /// Starts to listen.
    /// - Parameters:
    ///   - address: a TCP address; port 0 lets the kernel choose.
    ///   - transport: the carrier of the bytes.
    ///   - maxBody: the maximum length of a request body in bytes; evhttp answers longer ones with 413.
    ///   - door: the policy for bodies; nil accepts every body that is not too long.
    ///   - pace: the slowest rates for heads, bodies and long answers.
    ///   - places: the limits for open connections; nil for the defaults.
    ///   - handler: called on the loop for each request of a known method (GET, HEAD, POST, PUT, DELETE).
    /// - Throws: `BindError` if the server cannot listen on the address.
    package init(
        _ address: SocketAddress, over transport: any Transport = PlainTransport(), maxBody: Int, door: (any BodyLimiter)? = nil,
        pace: MinimumBodyRate = .usual,
        places: ConnectionRoom? = nil, _ handler: @escaping @Loop (HTTPExchange) -> Void
    ) throws(BindError) {
        guard case .tcp(let host, let port) = address else {
            throw BindError(description: "HTTP is served on a TCP address, not on \(address)")
        }
        guard let http = evhttp_new(Loop.eventLoop.base) else { throw BindError(description: "evhttp_new: out of memory") }
        evhttp_set_max_body_size(http, maxBody)
        evhttp_set_max_headers_size(http, 32 << 10)
        let methods =
            EVHTTP_REQ_GET.rawValue | EVHTTP_REQ_HEAD.rawValue | EVHTTP_REQ_POST.rawValue
            | EVHTTP_REQ_PUT.rawValue | EVHTTP_REQ_DELETE.rawValue
        evhttp_set_allowed_methods(http, UInt16(methods))
        evhttp_set_timeout(http, Int32(Self.patience.components.seconds))
        evhttp_set_default_content_type(http, nil)
        guard let socket = evhttp_bind_socket_with_handle(http, host, port) else {
            let reason = String(cString: strerror(errno))
            evhttp_free(http)
            throw BindError(description: "cannot listen on \(address): \(reason)")
        }
        // evhttp ends a connection that takes nothing, after `patience`.
        KeepAlive.set(on: evhttp_bound_socket_get_fd(socket), limitsOutput: false)
        PromptSending.set(on: evhttp_bound_socket_get_fd(socket))
        self.http = http
        self.socket = socket
        self.transport = transport
        self.door = door ?? UnboundedBodyLimiter()
        self.pace = pace
        self.places = places ?? ConnectionRoom()
        self.handler = handler
        self.address = .tcp(host: host, port: Self.port(of: evhttp_bound_socket_get_fd(socket)) ?? port)
        rest = evhttp_bound_socket_get_listener(socket).map { [address = self.address] in AcceptBackoff($0, address) }
        evhttp_set_bevcb(
            http,
            { _, context in
                var buffer: OpaquePointer?
                Loop.callback(context, HTTPServer.self) { buffer = $0.accepted() }
                return buffer
            }, Unmanaged.passUnretained(self).toOpaque())
        evhttp_set_gencb(
            http,
            { request, context in
                guard let request else { return }
                Loop.callback(context, HTTPServer.self) { $0.received(request) }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func port(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, __SOCKADDR_ARG(__sockaddr__: $0), &length) }
        }
        guard result == 0 else { return nil }
        // The port is at the same offset in the addresses of both families.
        return withUnsafeBytes(of: &storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
    }

    /// Makes the buffer of a new connection, through which evhttp reads it.
    private func accepted() -> OpaquePointer? {
        guard let buffer = transport.makeBuffer(-1, .accepting) else { return nil }
        // evhttp's default of 16 KiB costs a system call for each, and packets that are not full.
        bufferevent_set_max_single_write(buffer, HTTPExchange.piece)
        connections[buffer] = HTTPConnection(buffer, transport, door, pace, places) { [weak self] _ in self?.connections[buffer] = nil }
        return buffer
    }

    private func received(_ request: OpaquePointer) {
        let connection = HTTPExchange.buffer(of: request).flatMap { connections[$0] }
        let exchange = HTTPExchange(request, pace: pace) { [weak self, weak connection] in
            self?.ended($0)
            connection?.answered()
        }
        open[ObjectIdentifier(exchange)] = exchange
        connection?.handedOver(to: exchange)
        handler(exchange)
        exchange.watchForClosing()
    }

    private func ended(_ exchange: ObjectIdentifier) {
        open[exchange] = nil
        if !isBusy { quiet?.complete(.success(())) }
    }

    /// The number of open connections.
    package var connectionCount: Int { connections.count }

    /// The number of unread bytes in the fullest connection.
    var mostHeldInput: Int { connections.values.map(\.heldInput).max() ?? 0 }

    /// The number of requests that have not been answered to the last byte.
    package var openExchanges: Int { open.count }

    /// Whether an answer is not yet sent to the last byte.
    private var isBusy: Bool { !open.isEmpty }

    /// Stops listening, waits until pending answers are sent, but not longer than `limit`, and closes.
    package func close(within limit: Duration) async {
        guard !isClosed, quiet == nil else { return }
        stopListening()
        if isBusy {
            let quiet = OneShot<Void>()
            self.quiet = quiet
            let timer = LoopTimer(after: limit) { quiet.complete(.success(())) }
            defer { timer.cancel() }
            try? await quiet.wait()
        }
        close()
    }

    /// Stops listening and drops every connection. Open exchanges get `onClosed`, and later answers are dropped.
    ///
    /// The connections are freed in a later turn of the loop, because the caller may be a handler, with evhttp on the call stack.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        evhttp_set_gencb(http, nil, nil)
        evhttp_set_bevcb(http, nil, nil)
        stopListening()
        for connection in connections.values { connection.detach() }
        connections = [:]
        let abandoned = open
        open = [:]
        for exchange in abandoned.values { exchange.abandon() }
        let http = http
        Loop.execute { evhttp_free(http) }
    }

    private func stopListening() {
        guard isListening else { return }
        isListening = false
        rest?.end()
        evhttp_del_accept_socket(http, socket)
    }

    isolated deinit { close() }
}
