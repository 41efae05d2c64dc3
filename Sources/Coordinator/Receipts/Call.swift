import TintypeCore
import TintypeTransport

/// Where the answer to one request goes: a connection, a place in a batch, or an HTTP exchange.
@Loop
protocol AnswerSink: AnyObject {
    /// Takes the whole response object as JSON; called once. Empty for a notification, which has no answer but has ended.
    func answered(_ response: [UInt8])
}

/// One request on its way to its answer. It is answered exactly once, whatever happens; later answers are dropped.
@Loop
final class Call {
    let session: Session
    /// The request's id as it came; nil for a notification.
    let id: JSON?
    let method: String
    /// When it was taken, in monotonic seconds.
    let startedAt = Seconds.monotonic
    /// Called when the client withdraws the request (`$/cancelRequest`), before the answer. A method that sets it answers by itself,
    /// soon; without it the request is answered at once and its task is cancelled.
    var onCancel: (@Loop () -> Void)?
    /// Called when the client has gone, or was told that the coordinator stops: what comes of it reaches nobody any more.
    var onAbandoned: (@Loop () -> Void)?
    /// Called when the coordinator stops before the work is done, with what answers the request.
    var onGivenUp: (@Loop (_ answer: () -> Void) -> Void)?
    private(set) var isAnswered = false
    private(set) var isCancelled = false
    /// The coordinator stops.
    private(set) var isGivenUp = false
    private var sink: (any AnswerSink)?
    private let ended: @Loop (Call, ErrorName?) -> Void

    /// - Parameter ended: told once, after the answer, with its error or nil: for the metrics.
    init(session: Session, id: JSON?, method: String, sink: any AnswerSink, ended: @escaping @Loop (Call, ErrorName?) -> Void) {
        self.session = session
        self.id = id
        self.method = method
        self.sink = sink
        self.ended = ended
    }

    func succeed(_ result: JSON) {
        answer(nil) { $0.value(result) }
    }

    /// Answers with a result that is JSON already.
    func succeed(raw write: (inout JSONWriter) -> Void) {
        answer(nil, write)
    }

    func fail(_ error: TintypeError) {
        answer(error.name, member: "error") { $0.value(error.json) }
    }

    /// The client withdraws the request.
    func cancel() {
        guard !isAnswered, !isCancelled else { return }
        isCancelled = true
        if let onCancel { return onCancel() }
        fail(Self.withdrawn)
    }

    /// The client has gone.
    func abandon() {
        guard !isAnswered else { return }
        let abandoned = onAbandoned
        finish(nil, [])
        abandoned?()
    }

    /// The client is told that nothing comes of it here.
    func giveUp(_ error: TintypeError) {
        guard !isAnswered else { return }
        isGivenUp = true
        let abandoned = onAbandoned
        if let onGivenUp { onGivenUp { fail(error) } } else { fail(error) }
        abandoned?()
    }

    private func answer(_ error: ErrorName?, member: StaticString = "result", _ write: (inout JSONWriter) -> Void) {
        guard !isAnswered else { return }
        guard let id else { return finish(error, []) }
        var writer = JSONWriter(capacity: 1024)
        writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
        writer.value(id)
        writer.raw(",\"")
        writer.raw(member)
        writer.raw("\":")
        write(&writer)
        writer.raw("}")
        finish(error, writer.bytes)
    }

    private func finish(_ error: ErrorName?, _ response: [UInt8]) {
        isAnswered = true
        let sink = sink
        self.sink = nil
        onCancel = nil
        onAbandoned = nil
        onGivenUp = nil
        // Before the answer, so that there is room for the next request; the rest after it: a coordinator that is stopping goes on then.
        session.ended(self)
        sink?.answered(response)
        ended(self, error)
    }
}

extension Call {
    /// What a request is answered that its client withdraws.
    static var withdrawn: TintypeError {
        TintypeError(.cancelled, .admission, "the request was withdrawn by $/cancelRequest", details: ["reason": "cancelled"])
    }

    /// Runs a method that has to wait, as a task of `scope` that ends when the request is withdrawn or its client leaves.
    func run(in scope: TaskScope, _ body: @escaping @Loop () async throws(TintypeError) -> JSON) {
        let task = scope.run(method) { [self] in
            do throws(TintypeError) {
                succeed(try await body())
            } catch {
                fail(error)
            }
        }
        onCancel = { [weak self] in
            task.cancel()
            self?.fail(Self.withdrawn)
        }
        onAbandoned = { task.cancel() }
    }
}
