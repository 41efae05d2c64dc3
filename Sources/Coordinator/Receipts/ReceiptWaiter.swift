package import TintypeCore
package import TintypeTransport
import TintypeQueue

/// The link of a request to a receipt: selects the events that the request's client gets, and handles the end.
///
/// A receipt has one attachment for each `image.load`, `image.submit` or `receipt.get` that waits for it on this coordinator.
@Loop
package final class ReceiptWaiter {
    /// The events that a client gets as notifications.
    package enum Filter: Int, Sendable, Comparable {
        /// Only events that the request asked for by name; otherwise only the answer counts.
        case none
        /// The same, and the terminal event.
        case terminal
        /// All events; progress events as far as the throttle passes them.
        case all

        package static func < (one: Filter, other: Filter) -> Bool { one.rawValue < other.rawValue }
    }

    package let session: Session
    /// The request that gets the answer; nil if only events reach the client.
    private let call: Call?
    /// The one that the bytes of its result are read for.
    var order: any AnswerOrder { call ?? session }
    /// The id of the `image.load` that gets the answer.
    package let requestID: JSON?
    package private(set) var filter: Filter
    /// Whether a disconnect cancels the receipt at once, instead of after the grace period.
    package let cancelsOnDisconnect: Bool
    /// Whether inline bytes belong to the terminal event (`image.submit`) or to the answer (`image.load`).
    package let carriesDataInEvent: Bool
    /// Whether its client only observes a receipt that others wait for. An observer is told of the events but does not keep the work going. When
    /// the others have gone, the observer does.
    var isObserver = false
    /// Whether it belongs to a waiting `receipt.get`, and ends with the answer of that call.
    let isTransient: Bool
    /// Whether the first of the requests that it serves has not left it.
    private var servesFirst = false
    /// Called at the end of the receipt, after its terminal event was sent; nil for `image.submit`, which was answered before.
    package let complete: (@Loop (Outcome) -> Void)?
    private var throttle: Throttle?
    private var hooks: RequestHooks
    /// The number of the last event that this client got. It rises by one, even if events were filtered or lost in between.
    var sequence: Int { Int(last) }
    private var last: Int32 = 0
    /// The numbers of the later requests that it serves.
    private var laterHandles: Set<Int> = []
    private var lastHandle: Int32 = 0
    /// Its index among the attachments of its session (`Session`).
    package var place: Int32 = -1

    /// A class of its own, because few attachments have one.
    private final class Throttle {
        var progress: ProgressThrottle
        init(_ progress: ProgressThrottle) { self.progress = progress }
    }

    package init(
        session: Session, requestID: JSON?, filter: Filter, throttle: ProgressThrottle?, cancelsOnDisconnect: Bool, carriesDataInEvent: Bool,
        hooks: RequestHooks, isTransient: Bool = false, call: Call? = nil, complete: (@Loop (Outcome) -> Void)?
    ) {
        (self.session, self.call) = (session, call)
        self.requestID = requestID
        self.filter = filter
        self.throttle = throttle.map { Throttle($0) }
        self.cancelsOnDisconnect = cancelsOnDisconnect
        self.carriesDataInEvent = carriesDataInEvent
        self.hooks = hooks
        self.isTransient = isTransient
        self.complete = complete
    }

    /// Adds a request that this attachment serves.
    /// - Parameter other: The attachment that the request would have had if the client had none for this receipt.
    /// - Returns: The number by which the request leaves again (`giveUp`).
    package func requestHandle(with other: ReceiptWaiter? = nil) -> Int {
        if let other {
            filter = max(filter, other.filter)
            if throttle == nil { throttle = other.throttle }
            if hooks == .none { hooks = other.hooks }
            isObserver = false
        }
        lastHandle += 1
        if lastHandle == 1 { servesFirst = true } else { laterHandles.insert(Int(lastHandle)) }
        return Int(lastHandle)
    }

    /// Removes a request that this attachment serves.
    /// - Returns: Whether it serves no request any more.
    package func giveUp(_ requestHandle: Int) -> Bool {
        if requestHandle == 1 { servesFirst = false } else { laterHandles.remove(requestHandle) }
        return !servesFirst && laterHandles.isEmpty
    }

    /// Continues the numbers after earlier events of the receipt, which a client may have seen before it lost its connection.
    func goOn(after sequence: Int) {
        if last == 0 { last = Int32(clamping: sequence) }
    }

    /// Sends an event, or the events that the throttle passes instead.
    /// - Parameter step: The content of a progress event, parsed once for all attachments.
    package func take(_ event: ReceiptEvent, _ step: ProgressThrottle.Step?, of receipt: PendingReceipt) {
        switch filter {
        case .none: if event.isByRequest { send(event, of: receipt) }
        case .terminal: if event.isTerminal || event.isByRequest { send(event, of: receipt) }
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

    /// Sends the hook of the request's start, before its first event.
    package func begin(of receipt: PendingReceipt) { send(.willStart, of: receipt) }

    /// Sends the hooks around the end of the receipt; `deliver` sends the end itself.
    package func end(of receipt: PendingReceipt, _ deliver: () -> Void) {
        send(.willStop, of: receipt)
        deliver()
        send(.didStop, of: receipt)
    }

    /// Handles a client that leaves while the receipt goes on; `deliver` answers the client. A request that has not started gets no hooks of an end.
    package func leave(_ receipt: PendingReceipt, _ deliver: () -> Void) {
        if hooks.hasBegun { end(of: receipt, deliver) } else { deliver() }
    }

    private func send(_ hook: RequestHooks.Hook, of receipt: PendingReceipt) {
        for hook in hooks.due(upTo: hook) {
            session.notify(RequestHooks.notification(hook, receipt: receipt.id, requestID: requestID, queue: receipt.queue, meta: receipt.meta), type: "hook")
        }
    }

    private func send(_ event: ReceiptEvent, of receipt: PendingReceipt) {
        if last < .max { last += 1 }
        if event.isTerminal { session.tells(endOf: receipt.id) }
        session.notify(
            event.notification(receipt: receipt.id, requestID: requestID, sequence: sequence, queue: receipt.queue, meta: receipt.meta),
            type: event.type.text)
    }
}
