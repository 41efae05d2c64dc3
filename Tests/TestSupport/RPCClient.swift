import Foundation
import Synchronization

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

    private struct State {
        var next = 0
        var answers: [Int: CheckedContinuation<Message, any Error>] = [:]
        var notifications: [Message] = []
        var watchers: [(id: Int, test: @Sendable ([Message]) -> Bool, resume: CheckedContinuation<Void, Never>)] = []
        var closed = false
    }

    private let descriptor: Int32
    private let state = Mutex(State())

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
        let left = state.withLock { state in
            state.closed = true
            defer { state.answers = [:]; state.watchers = [] }
            return (Array(state.answers.values), state.watchers)
        }
        for answer in left.0 { answer.resume(throwing: TestFailure("the connection was closed")) }
        for watcher in left.1 { watcher.resume.resume() }
    }

    private func take(_ message: Message) {
        let (answer, met) = state.withLock { state -> (CheckedContinuation<Message, any Error>?, [CheckedContinuation<Void, Never>]) in
            if let id = message.object["id"] as? Int { return (state.answers.removeValue(forKey: id), []) }
            state.notifications.append(message)
            let all = state.notifications
            let met = state.watchers.filter { $0.test(all) }
            state.watchers.removeAll { watcher in met.contains { $0.id == watcher.id } }
            return (nil, met.map(\.resume))
        }
        answer?.resume(returning: message)
        for watcher in met { watcher.resume() }
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
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOpen = state.withLock { state in
                    guard !state.closed, !Task.isCancelled else { return false }
                    state.answers[id] = continuation
                    return true
                }
                guard isOpen else { return continuation.resume(throwing: TestFailure("the connection is closed, or the test's time is up")) }
                send("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(method)\",\"params\":\(params)}\n")
            }
        } onCancel: {
            state.withLock { $0.answers.removeValue(forKey: id) }?.resume(throwing: TestFailure("no answer to \(method) until the test's time was up"))
        }
    }

    package var notifications: [Message] { state.withLock { $0.notifications } }

    /// Suspends until the notifications received so far satisfy `test`, or the connection has closed, or the test's time is up.
    package func notifications(until test: @escaping @Sendable ([Message]) -> Bool) async -> [Message] {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { state in
                    if state.closed || Task.isCancelled || test(state.notifications) { return true }
                    state.watchers.append((id, test, continuation))
                    return false
                }
                if now { continuation.resume() }
            }
        } onCancel: {
            let watcher = state.withLock { state in
                state.watchers.firstIndex { $0.id == id }.map { state.watchers.remove(at: $0) }
            }
            watcher?.resume.resume()
        }
        return notifications
    }

    package func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        Glibc.close(descriptor)
    }
}
