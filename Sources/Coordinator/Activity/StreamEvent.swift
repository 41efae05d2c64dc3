import TintypeCore
import TintypeImages
import TintypeQueue

/// One event of a stream that continues after a broken connection. Pure.
struct StreamEvent: Sendable, Hashable {
    /// The name by which a client that comes back says that it has this event; nil: the client keeps the name of an earlier event.
    let id: String?
    let type: String
    /// One line of JSON.
    let data: String
    /// The number of the event, or of the last event in the state; nil in the stream of a queue.
    let number: Int?
    /// Whether no event follows.
    let isLast: Bool

    init(id: String?, type: String, data: String, number: Int? = nil, isLast: Bool = false) {
        (self.id, self.type, self.data, self.number, self.isLast) = (id, type, data, number, isLast)
    }

    /// Reads a message of a public channel. Anybody may publish there, so a message that is no event of the subject is nil.
    init?(_ payload: [UInt8], of subject: EventSubject) {
        guard let event = (try? JSON(parsing: payload))?.object, let receipt = event["receipt"]?.string, let type = event["type"]?.string,
            let number = event["seq"]?.int, !type.isEmpty, type.utf8.allSatisfy({ (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) })
        else { return nil }
        let isLine = !payload.contains { $0 == 10 || $0 == 13 }
        let data = isLine ? String(decoding: payload, as: UTF8.self) : JSON.object(event).text
        switch subject {
        case .receipt(let id, _):
            guard receipt == id, number > 0 else { return nil }
            self.init(id: "\(number)", type: type, data: data, number: number, isLast: EventType(type).isTerminal)
        case .queue:
            guard (try? ImageRequest.receiptType.validate(.string(receipt), at: "receipt")) != nil else { return nil }
            // A queue has no numbers of its own.
            self.init(id: "\(receipt):\(number)", type: type, data: data)
        }
    }

    /// Makes the event `state`, with what `receipt.get` or `queue.get` answers.
    /// - Parameter number: The number of the last event in the state of a receipt.
    static func state(_ answer: JSON, number: Int? = nil) -> StreamEvent {
        StreamEvent(id: number.map { "\($0)" }, type: "state", data: answer.text, number: number)
    }

    /// Makes the event `gap`: the events after one that the client has are not known any more, up to the state that follows.
    static func gap(after id: String) -> StreamEvent { StreamEvent(id: nil, type: "gap", data: JSON.object(["lastEventId": .string(id)]).text) }

    /// Returns the same event under another name.
    func named(_ id: String) -> StreamEvent { StreamEvent(id: id, type: type, data: data, number: number, isLast: isLast) }
}
