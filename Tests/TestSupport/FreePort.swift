import Foundation

/// A loopback port that is free now, for programs that cannot let the kernel choose.
package enum FreePort {
    package static func find() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
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
