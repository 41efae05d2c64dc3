/// One message of a coordinator's channel.
///
/// Messages are numbered from 1 without holes for each coordinator and queue. A number that is not the next one means something was
/// lost, and a smaller one that Redis forgot this coordinator: ask for snapshots of all live receipts then.
package struct QueueEvent: Sendable, Hashable {
    /// A receipt and the number this event has among its events.
    package struct Addressee: Sendable, Hashable {
        package let receipt: String
        package let seq: Int
    }

    package let number: Int
    /// The fetch it is about; empty for a ping, and for a receipt answered by the result index. Of `over` the group.
    package let fetch: String
    /// As in PROTOCOL.md §5, or `ping`, `moved`, `given`, `over`.
    package let type: String
    /// Epoch seconds, as text with three decimals.
    package let at: String
    /// Members of the event without braces, perhaps none.
    package let body: String
    /// Of a terminal event exactly one; of a ping, and of `over`, none.
    package let receipts: [Addressee]

    package var isPing: Bool { type == "ping" }
    /// Somebody has cancelled a group that this coordinator drives.
    package var isEndOfGroup: Bool { type == "over" }
    package var isTerminal: Bool { ReceiptState(rawValue: type)?.isTerminal ?? false }

    /// - Returns: nil for a message no script has sent.
    package init?(_ payload: [UInt8]) {
        let lines = payload.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count == 6, let number = Int(String(decoding: lines[0], as: UTF8.self)) else { return nil }
        var receipts: [Addressee] = []
        for entry in lines[5].split(separator: UInt8(ascii: ",")) {
            guard let colon = entry.lastIndex(of: UInt8(ascii: ":")),
                let seq = Int(String(decoding: entry[(colon + 1)...], as: UTF8.self))
            else { return nil }
            receipts.append(Addressee(receipt: String(decoding: entry[..<colon], as: UTF8.self), seq: seq))
        }
        self.number = number
        fetch = String(decoding: lines[1], as: UTF8.self)
        type = String(decoding: lines[2], as: UTF8.self)
        at = String(decoding: lines[3], as: UTF8.self)
        body = String(decoding: lines[4], as: UTF8.self)
        self.receipts = receipts
    }

    /// The event of PROTOCOL.md §5 for one receipt, as JSON text.
    /// - Parameter meta: as in `Submission.meta`.
    package func publicText(for addressee: Addressee, queue: String, meta: String) -> String {
        let members = body.isEmpty ? "" : ",\(body)"
        return #"{"receipt":"\#(addressee.receipt)","seq":\#(addressee.seq),"type":"\#(type)","at":\#(at),"queue":"\#(queue)"\#(meta)\#(members)}"#
    }
}

/// A message of the control channel, for the worker that holds the run or is named. Losing one is harmless: the next beat says the same.
package enum ControlMessage: Sendable, Hashable {
    /// Nobody wants it any more: stop, and finish it as cancelled.
    case cancel(Held)
    /// Somebody who wants progress has joined.
    case watch(Held)
    /// Take nothing new from now on, or take work again.
    case quiet(worker: String, Bool)

    /// - Returns: nil for a message no script has sent.
    package init?(_ payload: [UInt8]) {
        let words = payload.split(separator: UInt8(ascii: "|")).map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, let token = Int64(words[2]) else { return nil }
        if words[0] == "quiet" {
            self = .quiet(worker: words[1], token == 1)
            return
        }
        let held = Held(fetch: words[1], token: token)
        switch words[0] {
        case "cancel": self = .cancel(held)
        case "watch": self = .watch(held)
        default: return nil
        }
    }
}
