extension RawClient {
    /// The first line and the headers of an answer.
    package struct Answer: Sendable, CustomStringConvertible {
        package let status: Int
        /// The value of `Allow`; empty without one.
        package let allow: String
        package let description: String
    }

    /// Sends one request on a connection of its own, with any spelling, even one that no client would use.
    package static func ask(
        port: UInt16, _ method: String, _ path: String, _ headers: [String] = ["Host: 127.0.0.1"], body: [UInt8] = []
    ) async throws -> Answer {
        let client = try RawClient(port: port)
        var lines = ["\(method) \(path) HTTP/1.1", "Connection: close"] + headers
        if !body.isEmpty { lines.append("Content-Length: \(body.count)") }
        client.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
        let text = String(decoding: await client.untilClosed(), as: UTF8.self)
        let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let allow = text.split(separator: "\r\n").first { $0.hasPrefix("Allow: ") }?.dropFirst(7)
        return Answer(status: status, allow: allow.map(String.init) ?? "", description: text)
    }
}
