import Foundation

/// Inspects the sockets of this process from outside.
package enum ConnectedSockets {
    /// Returns the options of TCP connections over IPv4: keep-alive, seconds until it begins, seconds between probes, number of probes, and
    /// milliseconds that output may wait.
    /// - Parameters:
    ///   - port: the local port of the connections, or the remote one.
    ///   - isOwn: whether `port` is the local one.
    package static func keepAlive(port: UInt16, isOwn: Bool) -> [[Int32]] {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return open.compactMap { Int32($0) }.compactMap { descriptor -> [Int32]? in
            guard let here = address(descriptor, getsockname), let there = address(descriptor, getpeername) else { return nil }
            guard (isOwn ? here : there) == port else { return nil }
            let tcp = Int32(IPPROTO_TCP)
            let options = [(SOL_SOCKET, SO_KEEPALIVE), (tcp, TCP_KEEPIDLE), (tcp, TCP_KEEPINTVL), (tcp, TCP_KEEPCNT), (tcp, TCP_USER_TIMEOUT)]
            return options.map { level, option in
                var value: Int32 = -1
                var length = socklen_t(MemoryLayout<Int32>.size)
                return getsockopt(descriptor, level, option, &value, &length) == 0 ? value : -1
            }
        }
    }

    private static func address(_ descriptor: Int32, _ ask: (Int32, __SOCKADDR_ARG, UnsafeMutablePointer<socklen_t>) -> Int32) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let answer = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, __SOCKADDR_ARG(__sockaddr__: $0), &length) }
        }
        guard answer == 0, Int32(address.sin_family) == AF_INET else { return nil }
        return UInt16(bigEndian: address.sin_port)
    }
}
