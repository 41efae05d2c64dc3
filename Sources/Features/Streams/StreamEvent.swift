import Coordinator
import TintypeCore
import TintypeImages
import TintypeQueue

extension StreamEvent {
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
