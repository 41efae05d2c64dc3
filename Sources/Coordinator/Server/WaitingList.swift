import TintypeCore
import TintypeTransport

/// The requests of one client that wait for answers to its earlier requests, first in, first out. Pure.
///
/// Taking all of them is linear in their number. Canceling one searches the whole list. The limit on bytes, with `least` as the minimum for a
/// message, keeps the list to some thousands of entries.
struct WaitingList {
    /// The fewest bytes that a message counts, for its own memory and its answer. The shortest message has two bytes.
    static let least = 256

    private struct Entry {
        var content: RPCMessage.Content
        let bytes: Int
    }

    private var entries = FIFO<Entry>()
    /// The bytes of all waiting messages, as counted here.
    private(set) var bytes = 0

    var isEmpty: Bool { entries.isEmpty }

    /// - Parameter bytes: The length of the message.
    mutating func append(_ content: RPCMessage.Content, bytes: Int) {
        let members = if case .batch(let messages) = content { messages.count } else { 1 }
        let entry = Entry(content: content, bytes: max(bytes, members * Self.least))
        entries.append(entry)
        self.bytes += entry.bytes
    }

    /// Removes and returns the oldest message.
    mutating func popFirst() -> RPCMessage.Content? {
        guard let entry = entries.popFirst() else { return nil }
        bytes -= entry.bytes
        return entry.content
    }

    /// Cancels the request with this id. A single request is removed, and the caller answers it. A member of a batch becomes invalid with `error`,
    /// and is answered with the other members.
    /// - Returns: Whether the caller has to answer the request.
    mutating func withdraw(_ id: JSON, with error: TintypeError) -> Bool {
        func isMeant(_ message: RPCMessage) -> Bool { if case .request(id, _, _) = message { true } else { false } }
        var member: (entry: Int, place: Int)?
        for index in 0..<entries.count {
            switch entries[index]?.content {
            case .single(let message)? where isMeant(message):
                bytes -= entries.remove(at: index)?.bytes ?? 0
                return true
            case .batch(let messages)? where member == nil:
                if let place = messages.firstIndex(where: isMeant) { member = (index, place) }
            case .single?, .batch?, nil: break
            }
        }
        if let member, case .batch(var messages)? = entries[member.entry]?.content {
            messages[member.place] = .invalid(id: id, error)
            entries[member.entry]?.content = .batch(messages)
        }
        return false
    }
}
