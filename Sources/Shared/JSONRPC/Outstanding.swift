/// The requests of one connection that have not been answered. Pure state: what goes to the wire is what its functions return.
///
/// It makes every request answered exactly once: a ticket is spent by its first answer, and a batch is one array that is complete when
/// its last member has ended.
package struct Outstanding: Sendable {
    /// Names one request while it is unanswered.
    package typealias Ticket = Int

    private struct Request {
        let id: JSON
        let batch: Int?
    }

    private struct Batch {
        var left: Int
        var answers: [[UInt8]] = []
    }

    private var requests: [Ticket: Request] = [:]
    private var tickets: [JSON: [Ticket]] = [:]
    private var batches: [Int: Batch] = [:]
    private var last = 0

    package init() {}

    /// How many requests wait for their answers; members of batches count one each.
    package var count: Int { requests.count }

    /// Begins a batch.
    /// - Parameter requests: how many of its members will be answered; 0 needs no batch.
    package mutating func beginBatch(of requests: Int) -> Int {
        last += 1
        batches[last] = Batch(left: requests)
        return last
    }

    /// Takes a request in.
    package mutating func begin(id: JSON, batch: Int? = nil) -> Ticket {
        last += 1
        requests[last] = Request(id: id, batch: batch)
        tickets[id, default: []].append(last)
        return last
    }

    /// The unanswered request with that id; of several the oldest.
    package func ticket(of id: JSON) -> Ticket? { tickets[id]?.first }

    /// The id to answer under, or nil when it was answered already.
    package func id(of ticket: Ticket) -> JSON? { requests[ticket]?.id }

    /// Spends a ticket.
    /// - Parameter answer: the answer object's text.
    /// - Returns: what to send now: the answer, the whole batch, or nothing yet; nil too when the ticket was spent before.
    package mutating func end(_ ticket: Ticket, with answer: [UInt8]) -> [UInt8]? {
        guard let request = requests.removeValue(forKey: ticket) else { return nil }
        if var same = tickets[request.id] {
            same.removeAll { $0 == ticket }
            tickets[request.id] = same.isEmpty ? nil : same
        }
        guard let name = request.batch else { return answer }
        return addToBatch(name, answer)
    }

    private mutating func addToBatch(_ name: Int, _ answer: [UInt8]) -> [UInt8]? {
        guard var batch = batches[name] else { return nil }
        batch.answers.append(answer)
        batch.left -= 1
        guard batch.left == 0 else {
            batches[name] = batch
            return nil
        }
        batches[name] = nil
        return [UInt8(ascii: "[")] + batch.answers.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }
}
