package import TintypeTransport

/// A bare TCP connection for what a well-behaved client would not do: bytes as they are, framings, not reading.
package final class RawClient: Sendable {
    private struct State: Sendable {
        var received: [UInt8] = []
        var isClosed = false
        /// Line breaks in `received`.
        var lines = 0
    }

    private let socket: LoopbackSocket
    private let watched = Watched(State())

    /// - Parameter reads: whether it reads from the start.
    package init(port: UInt16, reads: Bool = true) throws {
        socket = try LoopbackSocket(port: port)
        if reads { startReading() }
    }

    /// Connects to a server that listens on 127.0.0.1.
    package convenience init(_ address: SocketAddress) throws {
        guard case .tcp(_, let port) = address else { throw TestFailure("not a TCP address") }
        try self.init(port: port)
    }

    package func startReading() {
        socket.read(keeping: ()) { [watched] _, bytes in
            watched.update { state in
                guard !bytes.isEmpty else { return state.isClosed = true }
                state.received += bytes
                state.lines += bytes.count { $0 == 10 }
            }
        }
    }

    /// Sends bytes; false when the other side has gone. Blocks while the other side does not read.
    @discardableResult
    package func send(_ bytes: some Sequence<UInt8>) -> Bool { socket.send(bytes) }

    /// Sends text.
    @discardableResult
    package func send(_ text: String) -> Bool { socket.send(text.utf8) }

    /// Everything received so far.
    package var text: String { String(decoding: watched.state.received, as: UTF8.self) }

    /// Everything received, as soon as it satisfies `test` or the connection was closed.
    @discardableResult
    package func received(until test: @escaping @Sendable ([UInt8]) -> Bool) async -> [UInt8] {
        await watched.wait { $0.isClosed || test($0.received) }.received
    }

    /// Everything received when so many lines were there.
    package func lines(_ count: Int) async -> [String] {
        String(decoding: await watched.wait { $0.isClosed || $0.lines >= count }.received, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Waits until the other side closes; returns all it sent.
    @discardableResult
    package func untilClosed() async -> [UInt8] { await received { _ in false } }

    /// Says that nothing more will be sent, and goes on reading: what `nc -N` does at the end of its input.
    package func finishSending() { socket.finishSending() }

    package func close() { socket.close() }
}
