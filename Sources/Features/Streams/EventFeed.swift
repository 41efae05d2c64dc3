import Coordinator
import TintypeCore
import TintypeTransport
import TintypeQueue

/// The events of one subject for all its streams at this coordinator, with the latest ones for clients that come back.
///
/// The events come from the subject's public channel. The state is read after a broken connection to Redis, and shows what was lost. The events of a
/// receipt are numbered, so a jump shows a loss too.
@Loop
final class EventFeed {
    enum News: Sendable {
        case event(StreamEvent)
        /// The events after `id` were missed. The state follows, or the last event of the receipt.
        case gap(after: String, StreamEvent)
        /// Redis has no record of the subject any more.
        case gone
    }

    /// The begin of a stream.
    enum Beginning: Sendable {
        /// The events to send at once, and the number by which the stream leaves the feed.
        case events([StreamEvent], listener: Int)
        /// The client has every event, and none will follow.
        case over
    }

    /// The state of the subject; nil if there is no record of it.
    typealias Reader = @Loop () async throws(TintypeError) -> StreamEvent?

    /// The longest time for which a stream waits for the subscription. Its state makes up for a later one.
    private static let patience = Duration.seconds(2)
    /// The time between two reads of the state while Redis refuses the subscription.
    private static let look = Duration.seconds(15)

    let subject: EventSubject
    private let channels: RedisChannels
    private let scope: TaskScope
    private let read: Reader
    private let nextName: @Loop () -> String
    private var subscriptions: [PublicSubscription] = []
    private var timer: LoopTimer?
    private let confirmation = Condition()
    /// Whether a confirmation of the subscription means that events may have been missed before.
    private var mayHaveMissed = false
    /// nil until the state of a receipt was read. A queue has one from the start.
    private var history: EventHistory?
    /// Events that came before the first state.
    private var early: [StreamEvent] = []
    /// The number of the last event of the receipt.
    private var last = 0
    private var isOver = false
    private var listeners: [Int: (after: Int, body: @Loop (News) -> Void)] = [:]
    private var lastListener = 0
    private var isSettling = false
    private var isSettleDue = false

    /// - Parameters:
    ///   - nextName: Makes a name for the begin of a queue's history, never twice.
    ///   - read: Reads the state.
    init(_ subject: EventSubject, channels: RedisChannels, scope: TaskScope, nextName: @escaping @Loop () -> String, read: @escaping Reader) {
        (self.subject, self.channels, self.scope, self.nextName, self.read) = (subject, channels, scope, nextName, read)
        if case .queue = subject { history = EventHistory(start: nextName()) }
    }

    func start() {
        subscriptions = subject.channels.map { channel in
            PublicSubscription(
                channel.name, of: channel.tag, on: channels, confirmed: { [weak self] in if self?.isConfirmed == true { self?.confirmed() } },
                { [weak self, subject] payload in if let event = StreamEvent(payload, of: subject) { self?.take(event) } })
        }
        timer = LoopTimer(after: Self.look, repeating: true) { [weak self] in
            if let self, !isConfirmed { settle() }
        }
    }

    func stop() {
        for subscription in subscriptions { subscription.end() }
        (subscriptions, timer) = ([], nil)
    }

    /// Whether Redis has confirmed the subscriptions to all its channels.
    private var isConfirmed: Bool { !subscriptions.isEmpty && subscriptions.allSatisfy(\.isConfirmed) }

    // MARK: Streams

    /// Adds a stream.
    /// - Parameters:
    ///   - id: The last event that the client has; nil if it has none.
    ///   - listener: Gets everything behind the events of the answer.
    /// - Returns: nil if Redis has no record of the subject.
    /// - Throws: The error of Redis.
    func join(after id: String?, _ listener: @escaping @Loop (News) -> Void) async throws(TintypeError) -> Beginning? {
        await untilConfirmed()
        if let id, let missed = history?.events(after: id) {
            return missed.isEmpty && isOver ? .over : .events(Array(missed), listener: listen(after: 0, listener))
        }
        guard var state = try await read() else { return nil }
        guard let number = state.number else {
            if let history { state = state.named(history.position) }
            return .events((id.map { [.gap(after: $0)] } ?? []) + [state], listener: listen(after: 0, listener))
        }
        if history == nil { begin(with: state, number) }
        let first: [StreamEvent]
        if id == "\(number)" {
            if state.isLast { return .over }
            first = []
        } else if let id, !(state.isLast && id == "\(number - 1)") {
            first = [.gap(after: id), state]
        } else {
            first = [state]
        }
        let later = history?.events.filter { $0.number ?? 0 > number } ?? []
        // Events that the state has already may still come down the channel.
        return .events(first + later, listener: listen(after: number, listener))
    }

    func leave(_ listener: Int) { listeners[listener] = nil }

    private func listen(after number: Int, _ body: @escaping @Loop (News) -> Void) -> Int {
        lastListener += 1
        listeners[lastListener] = (number, body)
        return lastListener
    }

    private func tell(_ news: News) {
        for (key, listener) in listeners {
            if case .event(let event) = news, let number = event.number, number <= listener.after { continue }
            // The numbers begin anew.
            if case .gap = news { listeners[key]?.after = 0 }
            listener.body(news)
        }
    }

    // MARK: Events

    private func begin(with state: StreamEvent, _ number: Int) {
        (history, last, isOver) = (EventHistory(start: "\(number)"), number, state.isLast)
        let held = early
        early = []
        for event in held { take(event) }
    }

    private func take(_ event: StreamEvent) {
        guard history != nil else {
            // A jump in the numbers shows what is dropped here.
            if early.count < EventHistory.most { early.append(event) }
            return
        }
        if let number = event.number {
            guard number > last else { return }
            guard number == last + 1 else { return settle() }
            (last, isOver) = (number, event.isLast)
        }
        history?.append(event)
        tell(.event(event))
    }

    // MARK: Losses

    private func confirmed() {
        confirmation.signal()
        if mayHaveMissed { settle() }
        mayHaveMissed = true
    }

    private func untilConfirmed() async {
        guard !isConfirmed else { return }
        await confirmation.wait(within: Self.patience)
        mayHaveMissed = true
    }

    /// Reads the state, because events may have been missed. One read runs at a time; a request during a read causes one more.
    private func settle() {
        guard history != nil else { return }
        guard !isSettling else { return isSettleDue = true }
        isSettling = true
        scope.run("events \(subject)") { [weak self] in
            repeat {
                self?.isSettleDue = false
                await self?.compare()
            } while !Task.isCancelled && self?.isSettleDue == true
            self?.isSettling = false
        }
    }

    private func compare() async {
        let (known, position) = (last, history?.position ?? "")
        let answer: StreamEvent?
        do throws(TintypeError) {
            answer = try await read()
        } catch {
            // Redis is unreachable: the next confirmation comes here again.
            return
        }
        guard let state = answer else { return tell(.gone) }
        guard let number = state.number else {
            let name = nextName()
            history?.restart(at: name)
            return tell(.gap(after: position, state.named(name)))
        }
        if state.isLast, number == last + 1 { return take(state) }
        // A smaller number than before means that Redis has lost its data. A larger one may have come meanwhile.
        guard number < known || number > last || state.isLast != isOver else { return }
        let missed = history?.position ?? position
        history?.restart(at: "\(number)")
        (last, isOver) = (number, state.isLast)
        tell(.gap(after: missed, state))
    }
}
