import TintypeCore
import TintypeTransport
import TintypeQueue

/// Tells whoever asked when work at this coordinator begins and ends to be shown.
///
/// Counted are the receipts in flight that this coordinator knows of: those Redis has taken and that have not ended, until their client
/// has left them; and what clients say that they work on themselves. Nothing else is work: neither what a cache answers, nor a request that
/// waits for Redis to take it, nor one that waits in a paused queue, as of the last greeting.
@Loop
final class ActivityMonitor {
    /// Told when `active` has changed: gives the notification for a subscription's id.
    typealias Listener = @Loop (_ notification: (String) -> [UInt8]) -> Void

    private(set) var state: ActivityState
    /// Requests, and work of clients.
    private var (requests, begun) = (0, 0)
    /// How much the other coordinators count, as of the last greeting.
    private var others = 0
    private var listeners: [Int: Listener] = [:]
    private var last = 0
    private var timer: LoopTimer?

    init(startDelay: Duration, endDelay: Duration) {
        state = ActivityState(startDelay: startDelay.inSeconds, endDelay: endDelay.inSeconds)
    }

    /// What `activity.get` says, and each notification.
    var members: JSONObject {
        ["active": .bool(state.isShown), "running": JSON(state.running), "fleet": JSON(state.running + others)]
    }

    // MARK: Counting

    /// One more receipt of a lane is in flight, or one fewer.
    func changedInFlight(by change: Int, on lane: Lane) {
        let before = lane.active
        lane.inFlight += change
        changedRequests(by: lane.active - before)
    }

    /// A queue has answered a greeting.
    func greeted(_ greeting: Greeting, on lane: Lane) {
        let before = lane.active
        lane.runningWhilePaused = greeting.runningWhilePaused
        others = greeting.others ?? others
        changedRequests(by: lane.active - before)
    }

    /// A client has begun to work on something itself.
    func begin() {
        begun += 1
        count()
    }

    /// It works on that no more.
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
