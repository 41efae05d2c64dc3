import TintypeCore
import TintypeTransport
import TintypeImages

/// `POST /rpc`: one message or a batch, answered by the same dispatcher as on TCP. JSON-RPC errors have status 200, a notification 204. A lone request
/// beyond a limit of its client has status 429.
@Loop
final class RPCRoute {
    private let dispatcher: Dispatcher
    private let receipts: ReceiptTable
    private let door: AccessControl

    init(dispatcher: Dispatcher, receipts: ReceiptTable, door: AccessControl) {
        self.dispatcher = dispatcher
        self.receipts = receipts
        self.door = door
    }

    /// - Parameter answer: Called once, unless the client disconnects first.
    func serve(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let session = Session(exchange, peer: "http")
        door.identify(session, by: exchange)
        session.trace = exchange.trace
        // A page of another site can send any other type without asking first.
        if let refusal = Self.refusal(ofType: exchange.header("Content-Type")) { return answer(refusal) }
        // One attempt for the message, however many requests it has.
        switch door.attempt(exchange) {
        case .granted, .refused: break
        case .throttled(let error): return answer(.refused(error))
        case .strange: return answer(.failure(403, AccessControl.foreign))
        }
        let content = RPCMessage.read(exchange.body)
        let isSingle = if case .single = content { true } else { false }
        let sink = ExchangeSink { [receipts] response in
            session.end(receipts)
            guard !response.isEmpty else { return answer(WebAnswer(status: 204, headers: [])) }
            if isSingle, let error = session.failure, error.ownLimitSeconds != nil { return answer(.refused(error, body: response)) }
            answer(WebAnswer(status: 200, headers: [("Content-Type", "application/json")], body: response))
        }
        exchange.onClosed = { [receipts] in session.end(receipts) }
        dispatcher.take(content, from: session, to: sink)
    }

    /// Returns the refusal of a message of another type than `application/json`, whose parameters do not matter.
    private static func refusal(ofType type: String?) -> WebAnswer? {
        let plain = type?.prefix { $0 != ";" }.trimmed.lowercased()
        guard plain != "application/json" else { return nil }
        return .failure(415, .invalidParams(path: "Content-Type", value: type.map { .string($0) }, expected: "application/json"))
    }
}

/// Receives the answer of one HTTP request.
@Loop
private final class ExchangeSink: AnswerSink {
    private let body: @Loop ([UInt8]) -> Void
    init(_ body: @escaping @Loop ([UInt8]) -> Void) { self.body = body }
    func answered(_ response: [UInt8]) { body(response) }
}
