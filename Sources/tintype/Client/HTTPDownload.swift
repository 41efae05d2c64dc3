import TintypeTransport

/// One small `GET` over our own stream, for results from the HTTP port of a coordinator. The whole body is kept in memory.
@Loop
final class HTTPDownload {
    private var received: [UInt8] = []
    private var status = 0
    private var bodyStart: Int?
    private var length: Int?
    private let done = OneShot<[UInt8]>()
    private let patience: Duration
    private var timer: LoopTimer?

    private init(_ patience: Duration) {
        self.patience = patience
        waitForMore()
    }

    /// Returns the body of `path` at `address`.
    /// - Parameter patience: The longest time without a byte.
    /// - Throws: `.resultsUnreachable` when the address does not answer, `.http` for anything but a complete answer of status 200.
    static func get(_ path: String, at address: SocketAddress, token: String?, patience: Duration = .seconds(60)) async throws(ClientFailure) -> [UInt8] {
        let token = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let stream: ByteStream
        do throws(NetError) {
            stream = try await ByteStream.connect(address, timeout: .seconds(10))
        } catch {
            throw .resultsUnreachable(address, "\(error)")
        }
        defer { stream.close() }
        let download = HTTPDownload(patience)
        stream.onBytes = { download.take($0) }
        stream.onEnd = { end in download.ended("\(end)") }
        stream.write(Array("GET \(path) HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\nAccept: */*\r\n\(token)\r\n".utf8))
        defer { download.timer = nil }
        do {
            return try await download.done.wait()
        } catch {
            throw error as? ClientFailure ?? .http("interrupted")
        }
    }

    /// Restarts the timer for the next bytes.
    private func waitForMore() {
        timer = LoopTimer(after: patience) { [weak self, patience] in self?.ended("no bytes arrived for \(patience)") }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        received += bytes
        waitForMore()
        if bodyStart == nil { readHead() }
        guard let bodyStart, let length, received.count >= bodyStart + length else { return }
        let body = Array(received[bodyStart..<bodyStart + length])
        if status == 200 {
            done.complete(.success(body))
        } else {
            let text = String(decoding: body.prefix(200), as: UTF8.self)
            done.complete(.failure(ClientFailure.http("the coordinator answered status \(status) for the result: \(text)")))
        }
    }

    private func readHead() {
        let ending: [UInt8] = [13, 10, 13, 10]
        guard received.count >= 4, let end = (0...received.count - 4).first(where: { Array(received[$0..<$0 + 4]) == ending }) else { return }
        let lines = String(decoding: received[..<end], as: UTF8.self).split(separator: "\r\n")
        status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1)
            if pair.count == 2, pair[0].lowercased() == "content-length" { length = Int(pair[1].filter(\.isNumber)) }
        }
        bodyStart = end + 4
    }

    private func ended(_ reason: String) {
        if let bodyStart, length == nil, status == 200 {
            done.complete(.success(Array(received[bodyStart...])))
        } else {
            done.complete(.failure(ClientFailure.http("the result is incomplete: \(reason)")))
        }
    }
}
