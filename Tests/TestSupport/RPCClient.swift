import Foundation

/// A blocking-socket JSON-RPC client with line framing, for tests: one thread reads, callers suspend for their answers.
///
/// It shares no code with the service on purpose: it is what a stranger would write after reading PROTOCOL.md.
package final class RPCClient: Sendable {
    /// An answer or a notification as Foundation decoded it.
    package struct Message: @unchecked Sendable {  // property-list values, never changed after parsing
        package let object: [String: Any]
        package var result: Any? { object["result"] }
        package var error: [String: Any]? { object["error"] as? [String: Any] }
        package var errorName: String? { (error?["data"] as? [String: Any])?["name"] as? String }
        package var method: String? { object["method"] as? String }
        package var params: [String: Any]? { object["params"] as? [String: Any] }
        package var fields: [String: Any] { (result as? [String: Any]) ?? [:] }
    }

    private struct State: Sendable {
        var next = 0
        var answers: [Int: Message] = [:]
        var notifications: [Message] = []
        var isClosed = false
    }

    private let descriptor: Int32
    private let watched = Watched(State())

    /// Connects to 127.0.0.1 at `port`.
    package init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: $0), socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw TestFailure("connect to port \(port): \(String(cString: strerror(errno)))") }
        Thread.detachNewThread { [self] in readLoop() }
    }

    private func readLoop() {
        var pending: [UInt8] = []
        /// Bytes of `pending` that hold no line break.
        var searched = 0
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            pending += buffer[..<count]
            while let end = pending[searched...].firstIndex(of: 10) {
                let line = Data(pending[..<end])
                pending.removeSubrange(...end)
                searched = 0
                guard let object = try? JSONSerialization.jsonObject(with: line) else { continue }
                if let one = object as? [String: Any] { take(Message(object: one)) }
                for one in object as? [[String: Any]] ?? [] { take(Message(object: one)) }
            }
            searched = pending.count
        }
        watched.update { $0.isClosed = true }
    }

    private func take(_ message: Message) {
        watched.update { state in
            if let id = message.object["id"] as? Int { state.answers[id] = message } else { state.notifications.append(message) }
        }
    }

    /// Sends bytes as they are.
    package func send(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

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

    /// Suspends until the notifications received so far satisfy `test`, or the connection has closed, or the test's time is up.
    package func notifications(until test: @escaping @Sendable ([Message]) -> Bool) async -> [Message] {
        await watched.wait { $0.isClosed || test($0.notifications) }.notifications
    }

    package func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        Glibc.close(descriptor)
    }
}
