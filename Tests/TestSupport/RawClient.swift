package import TintypeTransport

/// A bare TCP connection for unusual behavior: raw bytes, framings, a client that does not read.
package final class RawClient: Sendable {
    private struct State: Sendable {
        var received: [UInt8] = []
        var isClosed = false
        /// The number of line breaks in `received`.
        var lines = 0
    }

    private let socket: LoopbackSocket
    private let watched = Watched(State())

    /// - Parameters:
    ///   - source: the client's address, in 127.0.0.0/8.
    ///   - reads: whether the client reads from the start.
    ///   - isNarrow: whether the kernels of both sides keep few bytes for it.
    package init(port: UInt16, from source: String = "127.0.0.1", reads: Bool = true, isNarrow: Bool = false) throws {
        socket = try LoopbackSocket(port: port, from: source, isNarrow: isNarrow)
        if reads { startReading() }
    }

    /// Reads from a connection.
    init(_ socket: LoopbackSocket) {
        self.socket = socket
        startReading()
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
                var rest = bytes
                while let end = LoopbackSocket.lineBreak(in: rest) {
                    state.lines += 1
                    rest = rest[(end + 1)...]
                }
            }
        }
    }

    /// Sends bytes; false when the peer has gone. Blocks while the peer does not read.
    @discardableResult
    package func send(_ bytes: some Sequence<UInt8>) -> Bool { socket.send(bytes) }

    @discardableResult
    package func send(_ text: String) -> Bool { socket.send(text.utf8) }

    /// Reads at most so many bytes, as a client does that reads slowly.
    package func take(_ most: Int) { socket.take(most) }

    /// Everything received so far.
    package var text: String { String(decoding: watched.state.received, as: UTF8.self) }

    /// Returns everything received, as soon as it satisfies `test` or the connection was closed.
    @discardableResult
    package func received(until test: @escaping @Sendable ([UInt8]) -> Bool) async -> [UInt8] {
        await watched.wait { $0.isClosed || test($0.received) }.received
    }

    /// Returns everything received when `count` lines have arrived.
    package func lines(_ count: Int) async -> [String] {
        String(decoding: await watched.wait { $0.isClosed || $0.lines >= count }.received, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Waits until the peer closes; returns everything it sent.
    @discardableResult
    package func untilClosed() async -> [UInt8] { await received { _ in false } }

    /// Closes the sending side and goes on reading, as `nc -N` does at the end of its input.
    package func finishSending() { socket.finishSending() }

    package func close() { socket.close() }
}
