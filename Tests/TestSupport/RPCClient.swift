import TintypeCore

/// A JSON-RPC client with line framing, for tests: one thread reads, and callers suspend until their answers arrive.
package final class RPCClient: Sendable {
    private struct State: Sendable {
        var next = 0
        var answers: [Int: Message] = [:]
        var notifications: [Message] = []
        var isClosed = false
    }

    private let socket: LoopbackSocket
    private let watched = Watched(State())

    /// Connects to 127.0.0.1 at `port`.
    package init(port: UInt16) throws {
        socket = try LoopbackSocket(port: port)
        socket.read(keeping: LineBuffer()) { [watched] buffer, bytes in
            guard !bytes.isEmpty else { return watched.update { $0.isClosed = true } }
            let messages = buffer.lines(with: bytes).flatMap { Message.read($0) }
            guard !messages.isEmpty else { return }
            watched.update { state in
                for message in messages {
                    if let id = message.json["id"]?.int { state.answers[id] = message } else { state.notifications.append(message) }
                }
            }
        }
    }

    /// Sends text unchanged.
    package func send(_ text: String) { socket.send(text.utf8) }

    /// Sends a request and suspends until its answer.
    /// - Parameter params: the params object as JSON text.
    /// - Throws: `TestFailure` when the connection closes first, or the test's time is up.
    @discardableResult
    package func call(_ method: String, _ params: String = "{}") async throws -> Message {
        let id = watched.update { state in
            state.next += 1
            return state.next
        }
        send("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(method)\",\"params\":\(params)}\n")
        await watched.wait { $0.answers[id] != nil || $0.isClosed }
        guard let answer = watched.update({ $0.answers.removeValue(forKey: id) }) else {
            throw TestFailure("no answer to \(method): the connection was closed, or the test's time is up")
        }
        return answer
    }

    package var notifications: [Message] { watched.state.notifications }

    /// Suspends until the notifications so far satisfy `test`, the connection has closed, or the test's time is up.
    package func notifications(until test: @escaping @Sendable ([Message]) -> Bool) async -> [Message] {
        await watched.wait { $0.isClosed || test($0.notifications) }.notifications
    }

    package func close() { socket.close() }
}

/// Splits bytes that arrive in pieces into lines.
private struct LineBuffer: Sendable {
    private var pending: [UInt8] = []
    /// The number of bytes of `pending` that contain no line break.
    private var searched = 0

    /// Returns the lines that these bytes complete, without their ends.
    mutating func lines(with bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        pending += bytes
        while let end = LoopbackSocket.lineBreak(in: pending[searched...]) {
            lines.append(Array(pending[..<end]))
            pending.removeSubrange(...end)
            searched = 0
        }
        searched = pending.count
        return lines
    }
}
