import Glibc
import TintypeCore

/// One message on a coordinator's channel.
///
/// Messages are numbered from 1 without gaps for each coordinator and queue. A number that is not the next one means that a message was lost. A smaller
/// number means that Redis has forgotten this coordinator. In both cases, ask for snapshots of all live receipts.
package struct QueueEvent: Sendable, Hashable {
    /// A receipt, and the number of this event among the receipt's events.
    package struct Addressee: Sendable, Hashable {
        package let receipt: String
        package let seq: Int
    }

    package let number: Int
    /// The fetch of the event, or the group of `over`. Empty for a ping, and for a receipt that the result index answered.
    package let fetch: String
    package let type: EventType
    /// Epoch seconds, as text with three decimals.
    package let at: String
    /// The members of the event without braces; may be empty.
    package let body: String
    /// A terminal event has exactly one receipt; a ping and `over` have none.
    package let receipts: [Addressee]

    package var isPing: Bool { type == .ping }
    /// Whether a client has cancelled a group that this coordinator drives.
    package var isEndOfGroup: Bool { type == .over }
    package var isTerminal: Bool { type.isTerminal }

    /// Reads a message; nil if no script has sent it.
    package init?(_ payload: [UInt8]) {
        // The search uses memchr, since nearly all of a terminal event is its fifth line.
        let lines = payload.withUnsafeBytes { bytes in
            var lines: [Range<Int>] = []
            lines.reserveCapacity(6)
            var start = 0
            while let base = bytes.baseAddress, start < bytes.count, let end = memchr(base + start, 10, bytes.count - start) {
                let length = (base + start).distance(to: UnsafeRawPointer(end))
                lines.append(start..<start + length)
                start += length + 1
            }
            return lines + [start..<bytes.count]
        }
        func text(_ line: Range<Int>) -> String { String(decoding: payload[line], as: UTF8.self) }
        guard lines.count == 6, let number = WireNumber.digits(text(lines[0])).map({ Int($0) }) else { return nil }
        var receipts: [Addressee] = []
        for entry in payload[lines[5]].split(separator: UInt8(ascii: ",")) {
            guard let colon = entry.lastIndex(of: UInt8(ascii: ":")),
                let seq = Int(String(decoding: entry[(colon + 1)...], as: UTF8.self))
            else { return nil }
            receipts.append(Addressee(receipt: String(decoding: entry[..<colon], as: UTF8.self), seq: seq))
        }
        self.number = number
        fetch = text(lines[1])
        type = EventType(text(lines[2]))
        at = text(lines[3])
        body = text(lines[4])
        self.receipts = receipts
    }

    /// Returns the public event for one receipt (docs/protocol.md), as JSON text.
    /// - Parameter meta: as in `Submission.meta`.
    package func publicText(for addressee: Addressee, queue: String, meta: String) -> String {
        let members = body.isEmpty ? "" : ",\(body)"
        return #"{"receipt":"\#(addressee.receipt)","seq":\#(addressee.seq),"type":"\#(type.text)","at":\#(at),"queue":"\#(queue)"\#(meta)\#(members)}"#
    }
}

/// A message on the control channel, for the worker that has the run or is named. Losing one is harmless: the next heartbeat repeats it.
package enum ControlMessage: Sendable, Hashable {
    /// No receipt wants the fetch any more. Stop the run, and finish it as cancelled.
    case cancel(RunLease)
    /// Another client waits for the permit. Release the run, unless it has loaded everything it needs.
    case yield(RunLease)
    /// A receipt that wants progress has joined. Reports may go out this often.
    case watch(RunLease, every: Duration)
    /// Drain from now on, or claim again.
    case quiet(worker: String, Bool)
    /// Work waits in these shards, and their workers are too few. One worker in so many should help.
    case help(shards: [String], oneIn: Int)

    /// Reads a message; nil if no script has sent it.
    package init?(_ payload: [UInt8]) {
        let words = payload.split(separator: UInt8(ascii: "|")).map { String(decoding: $0, as: UTF8.self) }
        if words.count == 3, words[0] == "help", let oneIn = Int(words[1]), oneIn > 0 {
            self = .help(shards: words[2].split(separator: " ").map(String.init), oneIn: oneIn)
            return
        }
        guard (3...4).contains(words.count), let token = Int64(words[2]) else { return nil }
        if words[0] == "quiet", words.count == 3 {
            self = .quiet(worker: words[1], token == 1)
            return
        }
        let lease = RunLease(fetch: words[1], token: token)
        switch (words[0], words.count) {
        case ("cancel", 3): self = .cancel(lease)
        case ("yield", 3): self = .yield(lease)
        case ("watch", 4):
            guard let pace = Int64(words[3]), pace > 0 else { return nil }
            self = .watch(lease, every: .milliseconds(pace))
        default: return nil
        }
    }
}
