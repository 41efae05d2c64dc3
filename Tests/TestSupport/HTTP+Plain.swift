import Foundation

extension HTTP {
    /// The port and the path of a request that needs nothing of curl; nil for every other one.
    static func plain(_ url: String, _ arguments: [String]) -> (port: UInt16, path: String)? {
        let start = "http://127.0.0.1:"
        guard arguments.isEmpty, url.hasPrefix(start), !url.contains(where: { "{}[]# \\".contains($0) }), !url.contains("/.") else { return nil }
        let rest = url.dropFirst(start.count)
        let port = rest.prefix { $0 != "/" }
        return UInt16(port).map { ($0, rest.count > port.count ? String(rest.dropFirst(port.count)) : "/") }
    }

    /// Sends one request as curl would, without a process: most requests only wait for a change.
    static func get(port: UInt16, path: String) async throws -> Response {
        let client = RawClient(try LoopbackSocket(port: port, patience: 30))
        defer { client.close() }
        client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUser-Agent: curl/8\r\nAccept: */*\r\n\r\n")
        let bytes = await client.received { PlainAnswer($0).map { $0.isWhole } ?? false }
        guard let answer = PlainAnswer(bytes), answer.isWhole || answer.length == nil else { throw TestFailure("no whole answer to GET \(path)") }
        return Response(status: answer.status, headers: answer.headers, body: Data(answer.body))
    }
}

/// The bytes of an answer that have arrived.
private struct PlainAnswer {
    let status: Int
    let headers: [String: String]
    private let rest: ArraySlice<UInt8>

    /// Nil while the head is not whole.
    init?(_ bytes: [UInt8]) {
        var end = 0
        while end + 3 < bytes.count, bytes[end] != 13 || bytes[end + 2] != 13 || bytes[end + 3] != 10 { end += 1 }
        guard end + 3 < bytes.count else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
        headers = HTTP.headers(lines)
        rest = bytes[(end + 4)...]
    }

    private var isChunked: Bool { headers["transfer-encoding"] == "chunked" }
    /// Nil if only the end of the connection ends the body.
    var length: Int? { status == 204 || status == 304 ? 0 : isChunked ? -1 : headers["content-length"].flatMap { Int($0) } }
    var isWhole: Bool { isChunked ? pieces != nil : length.map { rest.count >= $0 } ?? false }
    var body: ArraySlice<UInt8> { isChunked ? pieces ?? [] : length.map { rest.prefix($0) } ?? rest }

    /// The bytes of all chunks; nil while the last one is missing.
    private var pieces: ArraySlice<UInt8>? {
        var (left, all) = (rest, ArraySlice<UInt8>())
        while let end = left.firstIndex(of: 13) {
            guard let count = Int(String(decoding: left[left.startIndex..<end], as: UTF8.self), radix: 16), left.endIndex - end >= count + 4 else { return nil }
            if count == 0 { return all }
            all += left[(end + 2)..<(end + 2 + count)]
            left = left[(end + 4 + count)...]
        }
        return nil
    }
}
