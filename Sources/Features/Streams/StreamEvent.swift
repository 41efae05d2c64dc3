import Coordinator
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

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

/// The subject of a stream of events: a receipt with all its events, or a queue with the terminal events of its receipts.
enum EventSubject: Sendable, Hashable {
    /// - queue: The name of its queue or shard.
    case receipt(String, queue: String)
    /// - shards: The names of its shards.
    case queue(String, shards: [String])

    /// The public channels in Redis, each with its tag.
    var channels: [(tag: RedisTag, name: String)] {
        switch self {
        case .receipt(let id, let queue):
            let keys = QueueKeys(queue)
            return [(keys.tag, keys.publicEvents(receipt: id))]
        case .queue(_, let shards): return shards.map(QueueKeys.init).map { ($0.tag, $0.publicEvents) }
        }
    }
}
