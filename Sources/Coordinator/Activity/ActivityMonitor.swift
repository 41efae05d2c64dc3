import TintypeCore
import TintypeTransport

/// Tells whoever asked when work at this coordinator begins and ends to be shown.
///
/// Counted are the receipts in flight that this coordinator knows of: those Redis has taken and that have not ended, until their client
/// has left them. What a cache answers is not work, and neither is a request that waits for Redis to take it.
@Loop
final class ActivityMonitor {
    /// Told when `active` has changed: gives the notification for a subscription's id.
    typealias Listener = @Loop (_ notification: (String) -> [UInt8]) -> Void

    private(set) var state: ActivityState
    private var listeners: [Int: Listener] = [:]
    private var last = 0
    private var timer: LoopTimer?

    init(startDelay: Duration, endDelay: Duration) {
        state = ActivityState(startDelay: startDelay.inSeconds, endDelay: endDelay.inSeconds)
    }

    /// What `activity.get` says, and each notification.
    var members: JSONObject { ["active": .bool(state.isShown), "running": JSON(state.running)] }

    /// So many receipts are in flight now.
    func set(running: Int) { change { $0.set(running: running, now: Seconds.monotonic) } }

    func add(_ listener: @escaping Listener) -> Int {
        last += 1
        listeners[last] = listener
        return last
    }

    func remove(_ id: Int) { listeners[id] = nil }

    func stop() { timer = nil }

    private func change(_ body: (inout ActivityState) -> Void) {
        let before = state
        body(&state)
        if state.due != before.due {
            timer = state.due.map { due in
                LoopTimer(after: .seconds(max(0, due - Seconds.monotonic))) { [weak self] in self?.change { $0.advance(to: max(due, Seconds.monotonic)) } }
            }
        }
        guard state.isShown != before.isShown else { return }
        for listener in listeners.values {
            listener { [members] id in
                RPCAnswer.notification("activity.changed", params: JSON.object((["subscription": .string(id)] as JSONObject).merging(members)).bytes())
            }
        }
    }
}
