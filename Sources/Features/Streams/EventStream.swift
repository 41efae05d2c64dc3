import Coordinator
import TintypeTransport

/// One answer of `GET /events`: sends events as the client takes them, until the last event, the end of the client, or that of the coordinator.
@Loop
final class EventStream: LongAnswerReader {
    struct Limits: Sendable {
        /// The interval of comments, and of looks whether the client is still permitted.
        var keepAlive = Duration.seconds(15)
        /// The most bytes that wait for the client, as for a client on TCP. One that does not read is cut.
        var unsent = Connection.Limits.unsent
        /// The pause of a client before it connects again.
        var retry = Duration.seconds(2)
    }

    /// The client, with its token.
    let session: Session
    private let limits: Limits
    private let isPermitted: @Loop () -> Bool
    private var exchange: HTTPExchange?
    private var waiting: [UInt8] = []
    /// The bytes that were handed over and that the client has not taken yet.
    private var sending = 0
    /// All bytes that were ever handed over.
    private var handed = 0
    private var isEnding = false
    private var timer: LoopTimer?
    /// Called once.
    private var onEnd: (@Loop (_ wasTooSlow: Bool) -> Void)?

    /// - Parameter isPermitted: Whether the client may still read the events.
    init(_ session: Session, _ limits: Limits, isPermitted: @escaping @Loop () -> Bool) {
        (self.session, self.limits, self.isPermitted) = (session, limits, isPermitted)
    }

    static let headers = [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no")]

    /// Sends the head and these events, then those that have come meanwhile.
    func begin(_ exchange: HTTPExchange, _ first: [StreamEvent], onEnd: @escaping @Loop (_ wasTooSlow: Bool) -> Void) {
        (self.exchange, self.onEnd) = (exchange, onEnd)
        exchange.onClosed = { [weak self] in self?.end(wasTooSlow: false) }
        exchange.begin(200, headers: Self.headers)
        let meanwhile = waiting
        waiting = EventText.opening(retry: limits.retry)
        for event in first { add(event) }
        waiting += meanwhile
        timer = LoopTimer(after: limits.keepAlive, repeating: true) { [weak self] in
            self?.check()
            // A client that has not taken the last bytes gets no more of them.
            if let self, sending == 0 { write(EventText.keepAlive) }
        }
        flush()
    }

    func take(_ news: EventFeed.News) {
        guard !isEnding else { return }
        switch news {
        case .event(let event): add(event)
        case .gap(let id, let state):
            add(.gap(after: id))
            add(state)
        // The answer to the next connection says what is wrong.
        case .gone: isEnding = true
        }
        flush()
    }

    /// Ends the stream of a client that is no longer permitted.
    func check() { if !isPermitted() { finish() } }

    /// Ends the stream behind the events that wait.
    func finish() {
        isEnding = true
        flush()
    }

    private func add(_ event: StreamEvent) {
        waiting += EventText.bytes(of: event)
        if event.isLast { isEnding = true }
    }

    private func write(_ bytes: [UInt8]) {
        waiting += bytes
        flush()
    }

    private func flush() {
        guard let exchange else { return }
        if waiting.count + sending > limits.unsent || session.turns?.covers(waiting.count + sending) == false {
            return cutSlow()
        }
        guard sending == 0 else { return }
        guard !waiting.isEmpty else {
            session.turns?.drained()
            guard isEnding else { return }
            end(wasTooSlow: false)
            return exchange.end()
        }
        let piece = waiting
        (waiting, sending) = ([], piece.count)
        handed += sending
        exchange.send(piece[...]) { [weak self] isTaken in
            guard let self else { return }
            sending = 0
            // The client may have gone before the stream began.
            if isTaken { flush() } else { end(wasTooSlow: false) }
        }
    }

    var takenBytes: Int? { sending > 0 ? handed - (exchange?.unsent ?? 0) : nil }

    func cutSlow() {
        let exchange = exchange
        end(wasTooSlow: true)
        exchange?.cut()
    }

    private func end(wasTooSlow: Bool) {
        session.turns?.end()
        let onEnd = onEnd
        (exchange, timer, self.onEnd, waiting, isEnding) = (nil, nil, nil, [], true)
        onEnd?(wasTooSlow)
    }
}
