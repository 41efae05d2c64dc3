import TintypeCore
import TintypeTransport
import TintypeQueue

/// The three moments of a request that accessories of YTKNetwork are called at: each told once, in order, whatever the end. Pure.
///
/// They are notifications of their own, `image.hook`, beside the numbered events: `willStart` when Redis has taken the request, before
/// its first event; `willStop` before the terminal event; `didStop` after it and after the answer. A group has the same three, `group.hook`.
struct RequestHooks: Sendable, Hashable {
    enum Hook: String, Sendable, CaseIterable { case willStart, willStop, didStop }

    /// The first that has not been told; `end` where all were, or nobody asked.
    private var next: UInt8
    private static let end = UInt8(Hook.allCases.count)

    /// For a client that did not ask.
    static let none = RequestHooks(next: end)
    /// For a request that begins.
    static let all = RequestHooks(next: 0)
    /// For a client that takes up a receipt whose beginning another one was told.
    static let rest = RequestHooks(next: 1)

    var hasBegun: Bool { next != 0 }

    /// What to tell so that everything up to this one has been.
    mutating func tell(upTo hook: Hook) -> [Hook] {
        guard let last = Hook.allCases.firstIndex(of: hook), last >= Int(next) else { return [] }
        defer { next = UInt8(last + 1) }
        return Array(Hook.allCases[Int(next)...last])
    }

    /// Writes the notification `image.hook` for one client.
    /// - Parameters:
    ///   - requestID: the id of the `image.load` it belongs to, if any.
    ///   - meta: the receipt's `tag` and `userInfo` as a fragment that begins with a comma, or nothing.
    static func notification(_ hook: Hook, receipt: String, requestID: JSON?, queue: String, meta: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 200)
        writer.raw("{\"jsonrpc\":\"2.0\",\"method\":\"image.hook\",\"params\":{\"receipt\":")
        writer.string(receipt)
        if let requestID {
            writer.raw(",\"requestId\":")
            writer.value(requestID)
        }
        writer.raw(",\"hook\":")
        writer.string(hook.rawValue)
        writer.raw(",\"at\":")
        writer.raw(json: WallClock.text(WallClock.now))
        writer.raw(",\"queue\":")
        writer.string(queue)
        writer.raw(json: meta)
        writer.raw("}}")
        return writer.bytes
    }

    /// Writes the notification `group.hook` for the client that has started a group.
    static func notification(_ hook: Hook, group: String, kind: GroupRecord.Kind) -> [UInt8] {
        let params: JSON = [
            "group": .string(group), "kind": .string(kind.rawValue), "hook": .string(hook.rawValue), "at": JSON(WallClock.now),
        ]
        return RPCAnswer.notification("group.hook", params: params.bytes())
    }
}
