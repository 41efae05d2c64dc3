import TintypeTransport

/// One request over our own stream to the HTTP port of a coordinator, and its answer. Both bodies are in memory as a whole.
@Loop
final class HTTPCall {
    /// A complete answer.
    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]
    }

    /// The bytes of a body that are handed over at one time. The next piece follows when the kernel has most of them.
    private nonisolated static let piece = 1 << 20

    private var received: [UInt8] = []
    private var status = 0
    private var bodyStart: Int?
    private var length: Int?
    private let stream: ByteStream
    private var rest: ArraySlice<UInt8>
    private let done = OneShot<Answer>()
    private let patience: Duration
    private var timer: LoopTimer?

    private init(_ stream: ByteStream, _ body: [UInt8], _ patience: Duration) {
        (self.stream, rest, self.patience) = (stream, body[...], patience)
        waitForMore()
    }

    /// Sends a request, and returns the answer of any status.
    /// - Parameters:
    ///   - transport: The carrier of the bytes.
    ///   - patience: The longest time in which no byte goes or comes.
    /// - Throws: `.httpUnreachable` when the address does not answer, `.http` for an answer that is not complete.
    static func answer(
        _ method: String, _ path: String, body: [UInt8] = [], at address: SocketAddress, over transport: any Transport = PlainTransport(), token: String?,
        patience: Duration = .seconds(60)
    ) async throws(ClientFailure) -> Answer {
        let stream: ByteStream
        do throws(NetError) {
            stream = try await ByteStream.connect(address, over: transport, timeout: .seconds(10))
        } catch {
            throw .httpUnreachable(address, "\(error)")
        }
        defer { stream.close() }
        let call = HTTPCall(stream, body, patience)
        stream.onBytes = { [unowned call] in call.take($0) }
        stream.onEnd = { [unowned call] end in call.ended("\(end)") }
        stream.onDrained = { [unowned call] in call.sendMore() }
        var head = "\(method) \(path) HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\nAccept: */*\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
        stream.write(Array((head + "\r\n").utf8))
        defer { call.timer = nil }
        do {
            return try await call.done.wait()
        } catch {
            throw error as? ClientFailure ?? .http("interrupted")
        }
    }

    private func sendMore() {
        guard !rest.isEmpty else { return }
        let next = rest.prefix(Self.piece)
        rest = rest.dropFirst(next.count)
        waitForMore()
        next.withUnsafeBytes { stream.write($0) }
    }

    /// Restarts the timer for the next bytes.
    private func waitForMore() {
        timer = LoopTimer(after: patience) { [weak self, patience] in self?.ended("no bytes arrived for \(patience)") }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        received += bytes
        waitForMore()
        if bodyStart == nil { readHead() }
        guard let bodyStart, let length, received.count - bodyStart >= length else { return }
        complete(Array(received[bodyStart..<bodyStart + length]))
    }

    private func complete(_ body: [UInt8]) { done.complete(.success(Answer(status: status, body: body))) }

    private func readHead() {
        let ending: [UInt8] = [13, 10, 13, 10]
        guard received.count >= 4, let end = (0...received.count - 4).first(where: { Array(received[$0..<$0 + 4]) == ending }) else { return }
        let lines = String(decoding: received[..<end], as: UTF8.self).split(separator: "\r\n")
        status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        // This status has no body, and no length either (RFC 9110 §15.3.5).
        length = status == 204 ? 0 : nil
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1)
            guard pair.first?.lowercased() == "content-length" else { continue }
            let words = pair.count == 2 ? pair[1].split { $0 == " " || $0 == "\t" } : []
            guard words.count == 1, words[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(words[0]) else {
                done.complete(.failure(ClientFailure.http("the answer has a Content-Length that is no number of bytes")))
                return
            }
            length = count
        }
        bodyStart = end + 4
    }

    private func ended(_ reason: String) {
        if let bodyStart, length == nil, status == 200 {
            complete(Array(received[bodyStart...]))
        } else {
            done.complete(.failure(ClientFailure.http("the answer is incomplete: \(reason)")))
        }
    }
}
