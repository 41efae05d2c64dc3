import Coordinator
import TintypeCore
import TintypeTransport
import TintypeQueue

/// Tells subscribers when this coordinator begins and ends to show activity.
///
/// It counts two things. The first are receipts in flight of this coordinator: accepted by Redis, not ended, and not left by their client. The
/// second is work that clients report as their own. Cache answers do not count. Requests that wait for Redis or in a queue that was paused at the
/// last heartbeat do not count either.
@Loop
final class ActivityMonitor {
    /// Called when `active` has changed, with a function that makes the notification for a subscription's id.
    typealias Listener = @Loop (_ notification: (String) -> [UInt8]) -> Void

    private(set) var state: ActivityState
    /// Receipts in flight, and work that clients report.
    private var (requests, begun) = (0, 0)
    /// The count of the other coordinators, as of the last heartbeat.
    private var others = 0
    private var listeners: [Int: Listener] = [:]
    private var last = 0
    private var timer: LoopTimer?

    init(startDelay: Duration, endDelay: Duration) {
        state = ActivityState(startDelay: startDelay.inSeconds, endDelay: endDelay.inSeconds)
    }

    /// The members of the answer to `activity.get`, and of each notification.
    var members: JSONObject {
        ["active": .bool(state.isShown), "running": JSON(state.running), "fleet": JSON(state.running + others)]
    }

    // MARK: Counting

    /// Counts a change of the receipts in flight of a queue.
    func changedInFlight(by change: Int, on handle: QueueHandle) {
        let before = handle.active
        handle.inFlight += change
        changedRequests(by: handle.active - before)
    }

    /// Takes over a queue's answer to a heartbeat.
    func greeted(_ greeting: HeartbeatAnswer, on handle: QueueHandle) {
        let before = handle.active
        handle.runningWhilePaused = greeting.runningWhilePaused
        others = greeting.others ?? others
        changedRequests(by: handle.active - before)
    }

    /// Counts work that a client begins itself.
    func begin() {
        begun += 1
        count()
    }

    /// Counts the end of such work.
    func end() {
        begun -= 1
        count()
    }

    private func changedRequests(by change: Int) {
        guard change != 0 else { return }
        requests += change
        count()
    }

    private func count() { change { [requests, begun] in $0.set(running: requests + begun, now: Seconds.monotonic) } }

    // MARK: Listeners

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
