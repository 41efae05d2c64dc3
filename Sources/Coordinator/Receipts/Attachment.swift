import TintypeCore
import TintypeTransport
import TintypeQueue

/// One request's hold on a receipt: which of its events the request's client gets, and what happens at the end.
///
/// A receipt has one for each `image.load`, `image.submit` or `receipt.get` that waits for it on this coordinator.
@Loop
final class Attachment {
    /// Which events a client gets as notifications.
    enum Filter: Int, Sendable, Comparable {
        /// None but those that the request has asked for by name: only the answer counts.
        case none
        /// The same, and the one that ends it.
        case terminal
        /// All, progress as far as the throttle lets it through.
        case all

        static func < (one: Filter, other: Filter) -> Bool { one.rawValue < other.rawValue }
    }

    let session: Session
    /// The id of the `image.load` whose answer this is about.
    let requestID: JSON?
    private(set) var filter: Filter
    /// Whether a disconnect withdraws the receipt at once instead of after the grace.
    let isFleeting: Bool
    /// Whether the bytes belong into the terminal event (`image.submit`) or into the answer (`image.load`).
    let carriesDataInEvent: Bool
    /// Its client has only looked at a receipt that others wait for: it is told, and has no say in whether the work goes on. Once those others
    /// have gone it has.
    var isOnlooker = false
    /// Of a `receipt.get` that waits: gone with its answer.
    let isPassing: Bool
    /// The first of the requests that it serves has not given it up.
    private var servesFirst = false
    /// Called at the end of the receipt, after its terminal event was sent; nil for `image.submit`, which was answered before.
    let complete: (@Loop (Outcome) -> Void)?
    private var throttle: Throttle?
    private var hooks: RequestHooks
    /// The number of the last event this client got: rises by one, whatever was filtered or lost on the way.
    var sequence: Int { Int(last) }
    private var last: Int32 = 0
    /// The later ones that it serves, by number.
    private var laterShares: Set<Int> = []
    private var lastShare: Int32 = 0
    /// Its place among what its session holds (`Session`).
    var place: Int32 = -1

    /// Apart, since few have one.
    private final class Throttle {
        var progress: ProgressThrottle
        init(_ progress: ProgressThrottle) { self.progress = progress }
    }

    init(
        session: Session, requestID: JSON?, filter: Filter, throttle: ProgressThrottle?, isFleeting: Bool, carriesDataInEvent: Bool,
        hooks: RequestHooks, isPassing: Bool = false, complete: (@Loop (Outcome) -> Void)?
    ) {
        self.session = session
        self.requestID = requestID
        self.filter = filter
        self.throttle = throttle.map { Throttle($0) }
        self.isFleeting = isFleeting
        self.carriesDataInEvent = carriesDataInEvent
        self.hooks = hooks
        self.isPassing = isPassing
        self.complete = complete
    }

    /// One request more is served by it.
    /// - Parameter other: what that request would have had, were the client not told already.
    /// - Returns: what the request gives up if it ends before it was answered.
    func share(with other: Attachment? = nil) -> Int {
        if let other {
            filter = max(filter, other.filter)
            if throttle == nil { throttle = other.throttle }
            if hooks == .none { hooks = other.hooks }
            isOnlooker = false
        }
        lastShare += 1
        if lastShare == 1 { servesFirst = true } else { laterShares.insert(Int(lastShare)) }
        return Int(lastShare)
    }

    /// A request gives it up.
    /// - Returns: whether it serves none any more.
    func giveUp(_ share: Int) -> Bool {
        if share == 1 { servesFirst = false } else { laterShares.remove(share) }
        return !servesFirst && laterShares.isEmpty
    }

    /// The receipt's events have numbers already: a client that has lost its connection may have seen them.
    func goOn(after told: Int) {
        if last == 0 { last = Int32(clamping: told) }
    }

    /// Sends an event, or what the throttle makes of it.
    /// - Parameter step: what it says if it is a progress event (parsed once for all attachments).
    func take(_ event: ReceiptEvent, _ step: ProgressThrottle.Step?, of receipt: PendingReceipt) {
        switch filter {
        case .none: if event.isAskedFor { send(event, of: receipt) }
        case .terminal: if event.isTerminal || event.isAskedFor { send(event, of: receipt) }
        case .all:
            guard let throttle else { return send(event, of: receipt) }
            let due: [ReceiptEvent]
            if let step {
                due = throttle.progress.progress(event, step, now: Seconds.monotonic)
            } else {
                due = throttle.progress.flush() + [event]
            }
            for one in due { send(one, of: receipt) }
        }
    }

    /// The request has begun: told before its first event.
    func begin(of receipt: PendingReceipt) { tell(.willStart, of: receipt) }

    /// The receipt has ended; `tell` tells so.
    func end(of receipt: PendingReceipt, _ tell: () -> Void) {
        self.tell(.willStop, of: receipt)
        tell()
        self.tell(.didStop, of: receipt)
    }

    /// The client gives the request up while the receipt goes on; `tell` tells so. What has not begun does not stop.
    func leave(_ receipt: PendingReceipt, _ tell: () -> Void) {
        if hooks.hasBegun { end(of: receipt, tell) } else { tell() }
    }

    private func tell(_ hook: RequestHooks.Hook, of receipt: PendingReceipt) {
        for hook in hooks.tell(upTo: hook) {
            session.notify(
                RequestHooks.notification(hook, receipt: receipt.id, requestID: requestID, queue: receipt.queue, meta: receipt.meta), type: "hook")
        }
    }

    private func send(_ event: ReceiptEvent, of receipt: PendingReceipt) {
        if last < .max { last += 1 }
        session.notify(
            event.notification(receipt: receipt.id, requestID: requestID, sequence: sequence, queue: receipt.queue, meta: receipt.meta),
            type: event.type.text)
    }
}
