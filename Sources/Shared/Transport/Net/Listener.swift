import CEvent
import Glibc

/// Accepts connections on the loop and hands each one over, as a `ByteStream` or as its bare descriptor. A handshake comes before that.
@Loop
package final class Listener {
    /// The address of the listener, with the real port if 0 was given.
    package let address: SocketAddress
    private var listener: OpaquePointer?
    private let reception: Reception
    private let backoff: AcceptBackoff
    /// The file of its socket, by device and inode. Another listener may have replaced it.
    private let file: (dev_t, ino_t)?

    /// Starts to listen, with a backlog of 1,024. A socket file left by an earlier process is replaced; one that is in use is not.
    /// - Parameters:
    ///   - transport: the carrier of the bytes of its streams.
    ///   - connectionLimiter: the limits for open connections; nil for no limit.
    ///   - proxies: the proxies that are believed when they name a client.
    ///   - refusal: the bytes sent to a connection above the limit before it is closed.
    ///   - accept: called on the loop for each new connection.
    /// - Throws: `NetError.listen`, or `.resolve` when the host is a name (listening needs a numeric address).
    package convenience init(
        _ address: SocketAddress, over transport: any Transport = PlainTransport(), connectionLimiter: ConnectionLimiter? = nil,
        proxies: TrustedProxies = .none,
        refusal: [UInt8] = [], _ accept: @escaping @Loop (ByteStream) -> Void
    ) throws(NetError) {
        let reception = Reception(over: transport, connectionLimiter ?? ConnectionLimiter(.none), proxies) {
            refusal
        } _: { socket, client, permit in
            let stream = ByteStream(socket, peer: client.map { "\($0)" } ?? "unknown", over: transport)
            stream.permit = permit
            accept(stream)
        }
        try self.init(address, reception)
    }

    /// Starts to listen as the other initializer does.
    init(_ address: SocketAddress, _ reception: Reception) throws(NetError) {
        guard let storage = address.storage() else { throw .resolve("\(address)", "listening takes a numeric address") }
        if case .unix(let path) = address, Self.file(path) != nil, Self.isDead(storage) { unlink(path) }
        let flags = LEV_OPT_REUSEABLE | LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC
        let made = storage.withPointer { pointer, length in
            evconnlistener_new_bind(Loop.eventLoop.base, nil, nil, UInt32(flags), 1024, pointer, Int32(length))
        }
        guard let made else { throw .listen(address, String(cString: strerror(errno))) }
        listener = made
        self.reception = reception
        self.address = Self.bound(made) ?? address
        file = if case .unix(let path) = address { Self.file(path) } else { nil }
        backoff = AcceptBackoff(made, self.address)
        let context = Unmanaged.passUnretained(self).toOpaque()
        evconnlistener_set_cb(
            made,
            { _, descriptor, peer, length, context in
                Loop.callback(context, Listener.self) { listener in
                    listener.reception.take(descriptor, from: SocketStorage.text(peer, socklen_t(length)))
                }
            }, context)
    }

    /// The listening socket; -1 once closed. Options set on it apply to the connections that it accepts.
    var descriptor: Int32 { listener.map { evconnlistener_get_fd($0) } ?? -1 }

    private static func bound(_ listener: OpaquePointer) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(evconnlistener_get_fd(listener), __SOCKADDR_ARG(__sockaddr__: address), &length) == 0,
                    Int32(address.pointee.sa_family) != AF_UNIX
                else {
                    return nil
                }
                return SocketStorage.text(address, length)
            }
        }
    }

    /// Returns the file of the socket at this path; nil for any other kind of file, or none.
    private static func file(_ path: String) -> (dev_t, ino_t)? {
        var facts = stat()
        return lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFSOCK ? (facts.st_dev, facts.st_ino) : nil
    }

    /// Returns whether no process listens at the address any more. Only a refused connection proves that: a listener may be too busy to accept.
    private static func isDead(_ storage: SocketStorage) -> Bool {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, flags, 0)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        return storage.withPointer { pointer, length in
            connect(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: pointer), length) != 0 && errno == ECONNREFUSED
        }
    }

    /// Stops listening. Accepted streams stay open. Connections in their TLS handshake are closed when it is over.
    package func close() {
        guard let listener else { return }
        backoff.end()
        reception.close()
        evconnlistener_free(listener)
        self.listener = nil
        if case .unix(let path) = address, let file, let there = Self.file(path), there == file { unlink(path) }
    }

    isolated deinit { close() }
}
