import Foundation

/// A blocking TCP connection to 127.0.0.1 that one thread reads. The clients of tests share it.
final class LoopbackSocket: Sendable {
    private let descriptor: Int32

    /// - Parameters:
    ///   - source: the address of this end, in 127.0.0.0/8.
    ///   - isNarrow: whether the kernels of both sides keep few bytes for a client that reads nothing, some 100 kB.
    ///   - patience: the seconds without any byte that end reading; 0 for no end.
    /// - Throws: `TestFailure` if no server listens.
    init(port: UInt16, from source: String = "127.0.0.1", isNarrow: Bool = false, patience: Int = 0) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if isNarrow {
            // The server's buffer grows with the segment and with the window.
            var (segment, buffer) = (Int32(536), Int32(4096))
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, socklen_t(MemoryLayout<Int32>.size))
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, socklen_t(MemoryLayout<Int32>.size))
        }
        if patience > 0 {
            var limit = timeval(tv_sec: patience, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var result: Int32 = 0
        if source != "127.0.0.1" { result = Self.with(source, 0) { bind(descriptor, $0, $1) } }
        if result == 0 { result = Self.with("127.0.0.1", port) { connect(descriptor, $0, $1) } }
        guard result == 0 else { throw TestFailure("connect to port \(port): \(String(cString: strerror(errno)))") }
    }

    /// Connects to a Unix socket.
    init(unix path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard Self.with(path, { connect(descriptor, $0, $1) }) == 0 else { throw TestFailure("connect to \(path): \(String(cString: strerror(errno)))") }
    }

    /// Calls with the address of a Unix socket.
    static func with(_ path: String, _ call: (__CONST_SOCKADDR_ARG, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(__CONST_SOCKADDR_ARG(__sockaddr__: $0), socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }

    private static func with(_ host: String, _ port: UInt16, _ call: (__CONST_SOCKADDR_ARG, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(__CONST_SOCKADDR_ARG(__sockaddr__: $0), socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// A connection that somebody has opened to this process.
    init(accepted descriptor: Int32) { self.descriptor = descriptor }

    /// Reads on a thread of its own until the peer has closed.
    /// - Parameters:
    ///   - state: the value that `take` keeps from one piece to the next.
    ///   - take: gets the bytes as they arrive, and none at the end.
    func read<State: Sendable>(keeping state: State, _ take: @escaping @Sendable (inout State, ArraySlice<UInt8>) -> Void) {
        Thread.detachNewThread { [self] in
            var state = state
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                take(&state, buffer[..<max(0, count)])
                if count <= 0 { return }
            }
        }
    }

    /// The index of the first line break. The C library searches: a loop over the bytes of a long answer takes seconds without the optimizer.
    static func lineBreak(in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBytes { raw in
            raw.baseAddress.flatMap { start in memchr(start, 10, raw.count).map { bytes.startIndex + (UnsafeRawPointer($0) - start) } }
        }
    }

    /// Reads at most so many bytes, of those that have arrived.
    func take(_ most: Int) {
        var buffer = [UInt8](repeating: 0, count: most)
        _ = recv(descriptor, &buffer, most, Int32(MSG_DONTWAIT))
    }

    /// Sends bytes; false when the peer has gone. Blocks while the peer does not read.
    @discardableResult
    func send(_ bytes: some Sequence<UInt8>) -> Bool { Self.send(bytes, to: descriptor) }

    static func send(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Closes the sending side.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        Glibc.close(descriptor)
    }
}
