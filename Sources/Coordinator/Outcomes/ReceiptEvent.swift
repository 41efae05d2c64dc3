import TintypeCore
import TintypeQueue

/// One event of one receipt on its way to clients: what the channel or a snapshot said.
struct ReceiptEvent: Sendable, Hashable {
    let type: EventType
    /// The event's number for this receipt in Redis; clients get a number of their own, without holes (`Attachment`).
    let sequence: Int
    /// Epoch seconds, as JSON text.
    let at: String
    /// The event's own members as JSON without braces; may be empty.
    let body: String
    /// The ImageResult in it, as clients get it: written last, and nowhere else before. It may be megabytes.
    let result: JSONObject?

    /// Whether the receipt ends with it.
    var isTerminal: Bool { type.isTerminal }

    /// Whether it is only made for requests that ask for it by name.
    var isAskedFor: Bool { type == .cached || type == .preview }

    init(type: EventType, sequence: Int, at: String, body: String, result: JSONObject? = nil) {
        self.result = result
        self.type = type
        self.sequence = sequence
        self.at = at
        self.body = body
    }

    /// The terminal event that a record of the end stands for.
    init(_ ending: Ending) {
        self.init(type: EventType(ending.state.rawValue), sequence: ending.seq, at: ending.at, body: ending.body)
    }

    /// The event `cached` that comes before a record's end, if one does.
    init?(shownBy ending: Ending) {
        guard let shown = ending.shown else { return nil }
        self.init(type: .cached, sequence: ending.seq - 1, at: ending.at, body: shown)
    }

    /// The body as an object; nil when it is no JSON.
    func members() -> JSONObject? {
        guard !body.isEmpty else { return JSONObject() }
        return (try? JSON(parsing: "{\(body)}"))?.object
    }

    /// The event as Redis tells it to anyone.
    func publicText(receipt: String, queue: String, meta: String) -> String {
        "{\"receipt\":\"\(receipt)\",\"seq\":\(sequence),\"type\":\"\(type.text)\",\"at\":\(at),\"queue\":\"\(queue)\"\(meta)"
            + (body.isEmpty ? "}" : ",\(body)}")
    }

    /// Writes the notification `image.event` for one client.
    /// - Parameters:
    ///   - requestID: the id of the `image.load` it belongs to, if any.
    ///   - sequence: the number this client sees.
    ///   - meta: the receipt's `tag` and `userInfo` as a fragment that begins with a comma, or nothing.
    func notification(receipt: String, requestID: JSON?, sequence: Int, queue: String, meta: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 160 + body.utf8.count)
        writer.raw("{\"jsonrpc\":\"2.0\",\"method\":\"image.event\",\"params\":{\"receipt\":")
        writer.string(receipt)
        if let requestID {
            writer.raw(",\"requestId\":")
            writer.value(requestID)
        }
        writer.raw(",\"seq\":")
        writer.int(sequence)
        writer.raw(",\"type\":")
        writer.string(type.text)
        writer.raw(",\"at\":")
        writer.raw(json: at)
        writer.raw(",\"queue\":")
        writer.string(queue)
        writer.raw(json: meta)
        if !body.isEmpty {
            writer.raw(",")
            writer.raw(json: body)
        }
        if let result {
            writer.raw(",\"result\":")
            writer.value(.object(result))
        }
        writer.raw("}}")
        return writer.bytes
    }
}
