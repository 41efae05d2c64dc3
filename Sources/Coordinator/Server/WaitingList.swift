import TintypeCore
import TintypeTransport

/// Requests of one client that were read and wait until others of it are answered; first in, first out. Pure.
///
/// Taking all of them is linear in their number. Withdrawing one looks through those that wait: the limit on their bytes, each counted
/// as `least` at least, keeps that to some thousands.
struct WaitingList {
    /// What a message counts at least: what it costs here, and its answer. The shortest one has two bytes.
    static let least = 256

    private struct Entry {
        var content: RPCMessage.Content
        let bytes: Int
    }

    private var entries = FIFO<Entry>()
    /// What waits, in bytes as they are counted here.
    private(set) var bytes = 0

    var isEmpty: Bool { entries.isEmpty }

    /// - Parameter bytes: how long the message was.
    mutating func append(_ content: RPCMessage.Content, bytes: Int) {
        let members = if case .batch(let messages) = content { messages.count } else { 1 }
        let entry = Entry(content: content, bytes: max(bytes, members * Self.least))
        entries.append(entry)
        self.bytes += entry.bytes
    }

    /// Takes out the one that has waited longest.
    mutating func popFirst() -> RPCMessage.Content? {
        guard let entry = entries.popFirst() else { return nil }
        bytes -= entry.bytes
        return entry.content
    }

    /// Withdraws the request with this id. A single one is taken out, and the caller answers it; a member of a batch is answered with the
    /// others: it becomes invalid, by `error`.
    /// - Returns: whether the caller is to answer it.
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
