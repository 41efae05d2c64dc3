package import TintypeCore
import TintypeTransport
package import TintypeQueue

/// The three hooks of a request, as the accessories of YTKNetwork have them: each is sent once, in order, whatever the end. Pure.
///
/// They are separate notifications, `image.hook`, beside the numbered events:
/// - `willStart` when Redis has accepted the request, before its first event;
/// - `willStop` before the terminal event;
/// - `didStop` after the terminal event and the answer.
///
/// A group has the same three as `group.hook`.
package struct RequestHooks: Sendable, Hashable {
    package enum Hook: String, Sendable, CaseIterable { case willStart, willStop, didStop }

    /// The first hook that has not been sent; `end` if all were sent or none was requested.
    private var next: UInt8
    private static let end = UInt8(Hook.allCases.count)

    /// The hooks of a client that did not request them.
    package static let none = RequestHooks(next: end)
    /// The hooks of a request that begins.
    package static let all = RequestHooks(next: 0)
    /// The hooks of a client that continues a receipt whose start another client was told.
    package static let ends = RequestHooks(next: 1)

    var hasBegun: Bool { next != 0 }

    /// Returns the hooks to send so that all up to this one have been sent.
    package mutating func due(upTo hook: Hook) -> [Hook] {
        guard let last = Hook.allCases.firstIndex(of: hook), last >= Int(next) else { return [] }
        defer { next = UInt8(last + 1) }
        return Array(Hook.allCases[Int(next)...last])
    }

    /// Returns the notification `image.hook` for one client.
    /// - Parameters:
    ///   - requestID: The id of the `image.load` that the hook belongs to, if any.
    ///   - meta: The receipt's `tag` and `userInfo` as a fragment that begins with a comma, or nothing.
    package static func notification(_ hook: Hook, receipt: String, requestID: JSON?, queue: String, meta: String) -> [UInt8] {
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

    /// Returns the notification `group.hook` for the client that started a group.
    package static func notification(_ hook: Hook, group: String, kind: GroupRecord.Kind) -> [UInt8] {
        let params: JSON = [
            "group": .string(group), "kind": .string(kind.rawValue), "hook": .string(hook.rawValue), "at": JSON(WallClock.now),
        ]
        return RPCAnswer.notification("group.hook", params: params.bytes())
    }
}
