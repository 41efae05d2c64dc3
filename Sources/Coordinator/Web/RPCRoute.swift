import TintypeTransport

/// `POST /rpc`: one message or a batch, answered by the same dispatcher as on TCP. JSON-RPC errors have status 200, a notification 204.
@Loop
final class RPCRoute {
    private let dispatcher: Dispatcher
    private let receipts: ReceiptTable

    init(dispatcher: Dispatcher, receipts: ReceiptTable) {
        self.dispatcher = dispatcher
        self.receipts = receipts
    }

    /// - Parameter answer: Called once, unless the client disconnects first.
    func serve(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let session = Session(peer: "http", ownsReceipts: false, address: exchange.peer, send: nil)
        session.token = AccessControl.token(of: exchange)
        let sink = ExchangeSink { [receipts] response in
            session.end(receipts)
            answer(
                response.isEmpty
                    ? WebAnswer(status: 204, headers: [])
                    : WebAnswer(status: 200, headers: [("Content-Type", "application/json")], body: response))
        }
        exchange.onClosed = { [receipts] in session.end(receipts) }
        dispatcher.take(RPCMessage.read(exchange.body), from: session, to: sink)
    }
}

/// Receives the answer of one HTTP request.
@Loop
private final class ExchangeSink: AnswerSink {
    private let body: @Loop ([UInt8]) -> Void
    init(_ body: @escaping @Loop ([UInt8]) -> Void) { self.body = body }
    func answered(_ response: [UInt8]) { body(response) }
}
