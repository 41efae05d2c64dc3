import Foundation
import TintypeTransport
import TestSupport

/// A client of `GET /events` that reads as the HTML standard says in section 9.2. Over HTTP/1.0, so that the body has no chunks.
final class EventSourceClient: Sendable {
    struct Event: Sendable, Hashable {
        var id = ""
        var type = "message"
        var data = ""
    }

    /// The connection.
    let raw: RawClient

    /// - Parameters:
    ///   - id: `Last-Event-ID`.
    ///   - reads: Whether it reads from the start.
    init(_ address: SocketAddress, _ query: String, after id: String? = nil, headers: [String] = [], reads: Bool = true) throws {
        guard case .tcp(_, let port) = address else { throw TestFailure("not a TCP address") }
        raw = try RawClient(port: port, reads: reads)
        let lines = ["GET /events\(query) HTTP/1.0", "Host: 127.0.0.1"] + headers + (id.map { ["Last-Event-ID: \($0)"] } ?? [])
        raw.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    }

    private static func body(_ text: String) -> Substring {
        text.range(of: "\r\n\r\n").map { text[$0.upperBound...] } ?? ""
    }

    static func events(in text: String) -> [Event] {
        var (events, event, lastID): ([Event], Event, String) = ([], Event(), "")
        var lines = body(text).split(separator: "\n", omittingEmptySubsequences: false)
        // The last line is not complete yet.
        _ = lines.popLast()
        for line in lines {
            if line.isEmpty {
                event.id = lastID
                if !event.data.isEmpty { events.append(event) }
                event = Event()
                continue
            }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? String(parts[1].first == " " ? parts[1].dropFirst() : parts[1]) : ""
            switch parts[0] {
            case "id": lastID = value
            case "event": event.type = value
            case "data": event.data += value
            default: break
            }
        }
        return events
    }

    /// Returns the events when there are this many, or the stream has ended.
    func events(_ count: Int) async -> [Event] {
        Self.events(in: String(decoding: await raw.received { Self.events(in: String(decoding: $0, as: UTF8.self)).count >= count }, as: UTF8.self))
    }

    /// Returns the events when the stream has ended.
    func untilClosed() async -> [Event] { Self.events(in: String(decoding: await raw.untilClosed(), as: UTF8.self)) }

    /// Returns the status of the answer when the connection has ended.
    func status() async -> Int {
        String(decoding: await raw.untilClosed(), as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    func close() { raw.close() }
}
