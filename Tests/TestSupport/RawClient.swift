import Foundation

/// A bare TCP connection for what a well-behaved client would not do: bytes as they are, framings, not reading.
package final class RawClient: Sendable {
    private struct State: Sendable {
        var received: [UInt8] = []
        var isClosed = false
        /// Line breaks in `received`.
        var lines = 0
    }

    private let descriptor: Int32
    private let watched = Watched(State())

    /// - Parameter reads: whether it reads from the start.
    package init(port: UInt16, reads: Bool = true) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: $0), socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw TestFailure("connect: \(errno)") }
        if reads { startReading() }
    }

    package func startReading() {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                watched.update { state in
                    guard count > 0 else { return state.isClosed = true }
                    state.received += buffer[..<count]
                    state.lines += buffer[..<count].count { $0 == 10 }
                }
                if count <= 0 { return }
            }
        }
    }

    /// Sends bytes; false when the other side has gone. Blocks while the other side does not read.
    @discardableResult
    package func send(_ bytes: some Sequence<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Everything received, as soon as it satisfies `test` or the connection was closed.
    package func received(until test: @escaping @Sendable ([UInt8]) -> Bool) async -> [UInt8] {
        await watched.wait { $0.isClosed || test($0.received) }.received
    }

    /// Everything received when so many lines were there.
    package func lines(_ count: Int) async -> [String] {
        String(decoding: await watched.wait { $0.isClosed || $0.lines >= count }.received, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Waits until the other side closes; returns all it sent.
    package func untilClosed() async -> [UInt8] { await received { _ in false } }

    /// Says that nothing more will be sent, and goes on reading: what `nc -N` does at the end of its input.
    package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    package func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        Glibc.close(descriptor)
    }
}
