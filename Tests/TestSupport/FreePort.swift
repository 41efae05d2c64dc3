import Foundation

/// A loopback port for a program that cannot let the kernel choose.
package enum FreePort {
    /// Returns a port that the kernel gives to nobody else until the test ends.
    ///
    /// A socket stays bound to the port and does not listen. Linux lets a server listen there too if both set SO_REUSEADDR, as servers do.
    package static func find() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        TestScope.atEnd { close(descriptor) }
        var reuses: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: UnsafePointer(pointer)), length) == 0
                    ? getsockname(descriptor, __SOCKADDR_ARG(__sockaddr__: pointer), &length) : -1
            }
        }
        guard status == 0 else { throw TestFailure("no free port: errno \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }
}
