import Foundation
import Synchronization

/// A bare TCP connection for what a well-behaved client would not do: bytes as they are, framings, not reading.
package final class RawClient: Sendable {
    private enum Wish: Sendable {
        case lines(Int)
        case bytes(@Sendable ([UInt8]) -> Bool)
    }

    private struct Waiter {
        let id: Int
        let wish: Wish
        let resume: CheckedContinuation<Void, Never>
    }

    private struct State {
        var received: [UInt8] = []
        var isClosed = false
        /// Line breaks in `received`.
        var lines = 0
        var waiters: [Waiter] = []
        var nextWaiter = 0

        func satisfies(_ wish: Wish) -> Bool {
            if isClosed { return true }
            return switch wish {
            case .lines(let count): lines >= count
            case .bytes(let test): test(received)
            }
        }
    }

    private let descriptor: Int32
    private let state = Mutex(State())

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
                update { state in
                    guard count > 0 else { return state.isClosed = true }
                    state.received += buffer[..<count]
                    state.lines += buffer[..<count].count { $0 == 10 }
                }
                if count <= 0 { return }
            }
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let ready = state.withLock { state in
            change(&state)
            let waiters = state.waiters
            let met = waiters.filter { state.satisfies($0.wish) }
            if !met.isEmpty { state.waiters = waiters.filter { !state.satisfies($0.wish) } }
            return met
        }
        for waiter in ready { waiter.resume.resume() }
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
    package func received(until test: @escaping @Sendable ([UInt8]) -> Bool) async -> [UInt8] { await wait(.bytes(test)) }

    /// Comes back too when the test's time is up.
    private func wait(_ wish: Wish) async -> [UInt8] {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { state in
                    if Task.isCancelled || state.satisfies(wish) { return true }
                    state.waiters.append(Waiter(id: id, wish: wish, resume: continuation))
                    return false
                }
                if now { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) } }
            waiter?.resume.resume()
        }
        return state.withLock { $0.received }
    }

    /// Everything received when so many lines were there.
    package func lines(_ count: Int) async -> [String] {
        String(decoding: await wait(.lines(count)), as: UTF8.self).split(separator: "\n").map(String.init)
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
