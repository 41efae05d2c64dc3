import CEvent
import Glibc

/// Accepts connections on the loop and hands each over as a `Stream`.
@Loop
package final class Listener {
    /// Where it listens; the port is the real one when 0 was asked for.
    package let address: SocketAddress
    private var listener: OpaquePointer?
    private let accept: @Loop (Stream) -> Void
    private var rest: LoopTimer?

    /// Listens at once, with a backlog of 1,024.
    /// - Parameter accept: called on the loop for each new connection.
    /// - Throws: `NetError.listen`, or `.resolve` when the host is a name (listening takes a numeric address).
    package init(_ address: SocketAddress, _ accept: @escaping @Loop (Stream) -> Void) throws(NetError) {
        guard let storage = address.storage() else { throw .resolve("\(address)", "listening takes a numeric address") }
        if case .unix(let path) = address { Self.removeSocket(path) }
        let flags = LEV_OPT_REUSEABLE | LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC
        let made = storage.withPointer { pointer, length in
            evconnlistener_new_bind(Loop.eventLoop.base, nil, nil, UInt32(flags), 1024, pointer, Int32(length))
        }
        guard let made else { throw .listen(address, String(cString: strerror(errno))) }
        listener = made
        self.accept = accept
        self.address = Self.bound(made) ?? address
        let context = Unmanaged.passUnretained(self).toOpaque()
        evconnlistener_set_error_cb(made) { _, context in Loop.callback(context, Listener.self) { $0.failed() } }
        evconnlistener_set_cb(
            made,
            { _, descriptor, peer, length, context in
                Loop.callback(context, Listener.self) { listener in
                    let name = SocketStorage.text(peer, socklen_t(length)).map { "\($0)" } ?? "unknown"
                    listener.accept(Stream(connected: descriptor, peer: name))
                }
            }, context)
    }

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

    /// Clears away the socket that an earlier process left behind; a file of any other kind stays, and listening fails.
    private static func removeSocket(_ path: String) {
        var facts = stat()
        if lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
    }

    /// Out of descriptors, most likely: rests for a moment instead of spinning on the same connection.
    private func failed() {
        guard let listener else { return }
        evconnlistener_disable(listener)
        rest = LoopTimer(after: .milliseconds(200)) { [weak self] in
            guard let self, let listener = self.listener else { return }
            evconnlistener_enable(listener)
        }
    }

    /// Stops listening; accepted streams live on.
    package func close() {
        guard let listener else { return }
        rest = nil
        evconnlistener_free(listener)
        self.listener = nil
        if case .unix(let path) = address { unlink(path) }
    }

    isolated deinit { close() }
}
