import class Foundation.Thread
import Glibc
import Synchronization

/// A server socket on the loopback, at a port of the kernel's choice. A thread accepts, and each connection has a thread of its own.
final class Listener: Sendable {
    private let descriptor: Int32
    let port: Int

    /// - Parameter accept: Gets each connection, on its own thread, and closes it.
    init(_ accept: @escaping @Sendable (Int32) -> Void) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                precondition(bind(descriptor, place, length) == 0 && listen(descriptor, 64) == 0, "no port")
                getsockname(descriptor, place, &length)
            }
        }
        port = Int(UInt16(bigEndian: place.sin_port))
        Self.thread {
            while true {
                let connection = Glibc.accept(descriptor, nil, nil)
                if connection < 0 {
                    // Only here: another socket may have the number at once.
                    Glibc.close(descriptor)
                    return
                }
                Self.thread { accept(connection) }
            }
        }
    }

    func close() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    static func thread(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread(body)
    }

    /// Connects to a port of the loopback; -1 when nobody is there.
    static func connect(_ port: Int) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = UInt16(port).bigEndian
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        if result == 0 { return descriptor }
        Glibc.close(descriptor)
        return -1
    }

    /// Writes all bytes. Returns false when the connection is gone.
    @discardableResult
    static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
        let bytes = Array(bytes)
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress! + start, $0.count - start, Int32(MSG_NOSIGNAL)) }
            if count <= 0 { return false }
            start += count
        }
        return true
    }

    /// Reads some bytes; none when the connection is gone.
    static func read(_ descriptor: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return Array(bytes[..<max(0, count)])
    }
}
