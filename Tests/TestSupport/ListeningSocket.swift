import Foundation

/// A server socket on a loopback port that the kernel chooses.
final class ListeningSocket: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let (status, name) = Self.withAddress(of: address) { pointer, length in
            bind(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: UnsafePointer(pointer)), length.pointee) == 0
                ? getsockname(descriptor, __SOCKADDR_ARG(__sockaddr__: pointer), length) : -1
        }
        guard status == 0, listen(descriptor, 128) == 0 else { throw TestFailure("no port to listen on: errno \(errno)") }
        port = UInt16(bigEndian: name.sin_port)
    }

    /// Blocks until somebody has connected. Returns the connection and the port of the other side; nil once the socket is closed.
    func accept() -> (LoopbackSocket, from: UInt16)? {
        let (accepted, name) = Self.withAddress(of: sockaddr_in()) { pointer, length in
            accept4(descriptor, __SOCKADDR_ARG(__sockaddr__: pointer), length, Int32(SOCK_CLOEXEC.rawValue))
        }
        return accepted < 0 ? nil : (LoopbackSocket(accepted: accepted), UInt16(bigEndian: name.sin_port))
    }

    private static func withAddress(
        of address: sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> (Int32, sockaddr_in) {
        var address = address
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
        return (status, address)
    }

    /// A thread in `accept` gets nil.
    func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    deinit { Glibc.close(descriptor) }
}
