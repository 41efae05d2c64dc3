package import TintypeCore
package import TintypeQueue

/// One event of one receipt on its way to clients, from the channel or from a snapshot.
package struct ReceiptEvent: Sendable, Hashable {
    package let type: EventType
    /// The number of the event for this receipt in Redis. Clients get their own numbers without gaps (`ReceiptWaiter`).
    let sequence: Int
    /// Epoch seconds, as JSON text.
    package let at: String
    /// The event's own members as JSON without braces; may be empty.
    package let body: String
    /// The ImageResult in the form for clients. It may have megabytes, so it is written last and only once.
    package let result: JSONObject?

    /// Whether the event ends the receipt.
    package var isTerminal: Bool { type.isTerminal }

    /// Whether it is made only for requests that ask for it by name.
    var isByRequest: Bool { type == .cached || type == .preview }

    package init(type: EventType, sequence: Int, at: String, body: String, result: JSONObject? = nil) {
        self.result = result
        self.type = type
        self.sequence = sequence
        self.at = at
        self.body = body
    }

    /// Makes the terminal event of an ended receipt's record.
    package init(_ ending: Ending) {
        self.init(type: EventType(ending.state.rawValue), sequence: ending.seq, at: ending.at, body: ending.body)
    }

    /// Makes the event `cached` before the end of a record; nil if there is none.
    package init?(shownBy ending: Ending) {
        guard let shown = ending.shown else { return nil }
        self.init(type: .cached, sequence: ending.seq - 1, at: ending.at, body: shown)
    }

    /// Returns the body as an object; nil when it is not JSON.
    package func members() -> JSONObject? {
        guard !body.isEmpty else { return JSONObject() }
        return (try? JSON(parsing: "{\(body)}"))?.object
    }

    /// Returns the event in the form that Redis publishes.
    package func publicText(receipt: String, queue: String, meta: String) -> String {
        "{\"receipt\":\"\(receipt)\",\"seq\":\(sequence),\"type\":\"\(type.text)\",\"at\":\(at),\"queue\":\"\(queue)\"\(meta)"
            + (body.isEmpty ? "}" : ",\(body)}")
    }

    /// Returns the notification `image.event` for one client.
    /// - Parameters:
    ///   - requestID: The id of the `image.load` that the event belongs to, if any.
    ///   - sequence: The number that this client sees.
    ///   - meta: The receipt's `tag` and `userInfo` as a fragment that begins with a comma, or nothing.
    package func notification(receipt: String, requestID: JSON?, sequence: Int, queue: String, meta: String) -> [UInt8] {
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
