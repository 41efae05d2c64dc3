import TintypeCore
import TintypeTransport
import TintypeImages

/// `POST /rpc`: one message or a batch, answered by the same dispatcher as on TCP. JSON-RPC errors have status 200, a notification 204. A lone request
/// beyond a limit of its client has status 429.
@Loop
final class RPCRoute {
    private let dispatcher: Dispatcher
    private let access: AccessControl
    private let receipts: ReceiptTable
    private let answers: LongAnswerBudget
    private let (metrics, logger): (Metrics, Logger)

    init(_ dispatcher: Dispatcher, access: AccessControl, receipts: ReceiptTable, answers: LongAnswerBudget, metrics: Metrics, logger: Logger) {
        (self.dispatcher, self.access, self.receipts, self.answers) = (dispatcher, access, receipts, answers)
        (self.metrics, self.logger) = (metrics, logger)
    }

    /// - Parameter answer: Called once, unless the client disconnects first.
    func serve(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let session = Session(exchange, peer: "http")
        access.identify(session, by: exchange)
        session.trace = exchange.trace
        // A page of another site can send any other type without asking first.
        if let refusal = Self.refusal(ofType: exchange.header("Content-Type")) { return answer(refusal) }
        // One attempt for the message, however many requests it has.
        switch access.attempt(exchange) {
        case .granted, .refused: break
        case .throttled(let error): return answer(.refused(error))
        case .strange: return answer(.failure(403, AccessControl.foreign))
        }
        exchange.onClosed = { [receipts] in session.end(receipts) }
        let body = exchange.body
        guard body.count >= RPCMessage.long else { return take(RPCMessage.read(body), exchange, session, answer) }
        Loop.work({ RPCMessage.read(body) }) { [self] content in
            if session.isOpen { take(content, exchange, session, answer) }
        }
    }

    private func take(_ content: RPCMessage.Content, _ exchange: HTTPExchange, _ session: Session, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let isSingle = if case .single = content { true } else { false }
        let sink = ExchangeSink(exchange, session, metrics, logger) { [receipts] response, held in
            session.end(receipts)
            guard !response.isEmpty else { return answer(WebAnswer(status: 204, headers: [])) }
            if isSingle, let error = session.failure, error.ownLimitSeconds != nil { return answer(.refused(error, body: response)) }
            var whole = WebAnswer(status: 200, headers: [("Content-Type", "application/json")], body: response)
            whole.held = held
            answer(whole)
        }
        session.turns = AnswerScheduler(in: answers, of: exchange.peer.network ?? "", for: sink)
        dispatcher.take(content, from: session, to: sink)
    }

    /// Returns the refusal of a message of another type than `application/json`, whose parameters do not matter.
    private static func refusal(ofType type: String?) -> WebAnswer? {
        let plain = type?.prefix { $0 != ";" }.trimmed.lowercased()
        guard plain != "application/json" else { return nil }
        return .failure(415, .invalidParams(path: "Content-Type", value: type.map { .string($0) }, expected: "application/json"))
    }
}

/// Receives the answer of one HTTP request, and keeps its places until the client has it.
@Loop
private final class ExchangeSink: AnswerSink, LongAnswerReader {
    private weak var exchange: HTTPExchange?
    private let session: Session
    private let (metrics, logger): (Metrics, Logger)
    private var body: (@Loop ([UInt8], ExchangeSink?) -> Void)?
    private var reservations: [AnswerReservation] = []

    init(_ exchange: HTTPExchange, _ session: Session, _ metrics: Metrics, _ logger: Logger, _ body: @escaping @Loop ([UInt8], ExchangeSink?) -> Void) {
        (self.exchange, self.session, self.metrics, self.logger, self.body) = (exchange, session, metrics, logger, body)
    }

    func refusal(of bytes: Int) -> TintypeError? { session.turns?.covers(bytes) == false ? LongAnswerBudget.full : nil }

    func answered(_ response: [UInt8]) {
        reservations = session.turns?.takeReservations() ?? []
        let body = body
        self.body = nil
        body?(response, reservations.isEmpty ? nil : self)
    }

    var takenBytes: Int? { exchange.flatMap { $0.unsent > 0 ? -$0.unsent : nil } }

    func cutSlow() {
        metrics.add(.rpcCuts, labels: "slow")
        logger.notice("closing a client that does not read its answer", ["unsent": exchange?.unsent ?? 0, "client": session.client.shown])
        exchange?.cut()
    }
}
