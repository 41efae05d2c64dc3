import TintypeCore
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

/// Gets results from the HTTP port of a coordinator.
enum HTTPDownload {
    /// Returns the body of `path` at `address`.
    /// - Parameters:
    ///   - transport: The carrier of the bytes.
    ///   - patience: The longest time without a byte.
    /// - Throws: `.resultsUnreachable` when the address does not answer, `.http` for anything but a complete answer of status 200.
    @Loop static func get(
        _ path: String, at address: SocketAddress, over transport: any Transport = PlainTransport(), token: String?, patience: Duration = .seconds(60)
    ) async throws(ClientFailure) -> [UInt8] {
        let answer: HTTPCall.Answer
        do throws(ClientFailure) {
            answer = try await HTTPCall.answer("GET", path, at: address, over: transport, token: token, patience: patience)
        } catch {
            // The work is done by now.
            guard case .httpUnreachable(let address, let reason) = error else { throw error }
            throw .resultsUnreachable(address, reason)
        }
        guard answer.status == 200 else {
            let text = String(decoding: answer.body.prefix(200), as: UTF8.self)
            throw .http("the coordinator answered status \(answer.status) for the result: \(text)")
        }
        return answer.body
    }
}

/// Bytes of this machine that a coordinator keeps as a source for one command.
struct ClientUpload: Sendable {
    private static let path = "/uploads"
    private static let scheme = "upload:"

    let url: String
    private let address: SocketAddress
    private let transport: any Transport
    private let token: String?

    /// Sends the bytes to the HTTP port of the coordinator.
    /// - Throws: `.httpUnreachable`, `.refused` with the coordinator's error, `.http`; `UsageError` for a wrong `--http`.
    @Loop static func send(_ bytes: [UInt8], _ client: RPCClient, _ arguments: Arguments) async throws -> ClientUpload {
        let (service, token) = (try await client.httpAddress(arguments), try ServiceToken.read(arguments))
        let (address, transport) = (service.address, try ServiceTLS.transport(to: service, arguments))
        let answer = try await HTTPCall.answer("PUT", path, body: bytes, at: address, over: transport, token: token)
        let json = try? JSON(parsing: answer.body)
        if answer.status == 201, let url = json?["url"]?.string, url.hasPrefix(scheme) {
            return ClientUpload(url: url, address: address, transport: transport, token: token)
        }
        // Only errors with a code have one of the names that the protocol knows.
        if let error = json?["error"], error["code"] != nil { throw ClientFailure.refused(TintypeError(json: error)) }
        let reason = json?["error"]?["message"]?.string ?? String(decoding: answer.body.prefix(200), as: UTF8.self)
        throw ClientFailure.http("the coordinator did not take the bytes (status \(answer.status)): \(reason)")
    }

    /// Removes the bytes. If that fails, they are gone when they expire.
    @Loop func remove() async {
        _ = try? await HTTPCall.answer("DELETE", "\(Self.path)/\(url.dropFirst(Self.scheme.count))", at: address, over: transport, token: token)
    }
}
