package import TintypeCore
package import TintypeImages
package import TintypeTransport

/// The receiver of one request's answer: a connection, a member of a batch, or an HTTP exchange.
@Loop
package protocol AnswerSink: AnyObject {
    /// Takes the whole response object as JSON; called once. It is empty for a notification, which ends without an answer.
    func answered(_ response: [UInt8])
    /// Whether it is in this process and takes the end of `image.load` as a value: `ended` is called in place of `answered`.
    var takesValues: Bool { get }
    /// Takes the end of a request; called once. It is nil for a request that ends without an answer.
    func ended(_ end: Result<ImageResult, TintypeError>?)
    /// Returns the error in place of a result of so many bytes, if there is no room for it.
    func refusal(of bytes: Int) -> TintypeError?
}

extension AnswerSink {
    package var takesValues: Bool { false }
    package func ended(_: Result<ImageResult, TintypeError>?) {}
    package func refusal(of bytes: Int) -> TintypeError? { nil }
}

/// The client or the request that a large answer is built for.
@Loop
package protocol AnswerOrder: AnyObject {
    /// Builds an answer of about this size when its turn has come, and there is room for it.
    /// - Parameter isKnown: false if the size is a guess.
    func inTurn<T>(_ bytes: Int, isKnown: Bool, _ body: @Loop () async throws(TintypeError) -> T) async throws(TintypeError) -> T
}

/// A request until its answer. It is answered exactly once; later answers are dropped.
@Loop
package final class Call {
    package let session: Session
    /// The request's id as received; nil for a notification.
    package let id: JSON?
    package let method: String
    /// The time of its acceptance, in monotonic seconds.
    let startedAt = Seconds.monotonic
    /// Called before the answer when the client cancels the request (`$/cancelRequest`). A method that sets it must answer soon. Without it, the
    /// request is answered at once and its task is canceled.
    var onCancel: (@Loop () -> Void)?
    /// Called when the client has disconnected, or was told that the coordinator stops. An answer can no longer reach the client.
    var onAbandoned: (@Loop () -> Void)?
    /// Called when the coordinator stops before the work is done, with a function that answers the request.
    var onGivenUp: (@Loop (_ answer: () -> Void) -> Void)?
    /// The place of the request in a trace; nil: its client has named none, and it is not traced.
    package var trace: RequestTrace?
    private(set) var isAnswered = false
    package private(set) var isCancelled = false
    private var isAbandoned = false
    /// Whether the client wanted no answer any more: it has disconnected, or canceled the request.
    var hasLeft: Bool { isAbandoned || isCancelled }
    /// Whether the coordinator stopped before the answer.
    private(set) var isGivenUp = false
    private var sink: (any AnswerSink)?
    private let ended: @Loop (Call, ErrorName?) -> Void

    /// - Parameter ended: Called once after the answer, with its error or nil, for the metrics.
    package init(session: Session, id: JSON?, method: String, sink: any AnswerSink, ended: @escaping @Loop (Call, ErrorName?) -> Void) {
        self.session = session
        self.id = id
        self.method = method
        self.sink = sink
        self.ended = ended
    }

    package func succeed(_ result: JSON) {
        if sink?.takesValues == true { return finish(nil, .success(ImageResult(json: result))) }
        answer(nil) { $0.value(result) }
    }

    /// Answers with the end of a request for a picture.
    func end(_ outcome: Outcome) {
        if let error = outcome.error { return fail(error) }
        let result = outcome.resultWithData ?? ImageResult(json: [:])
        if sink?.takesValues == true { finish(nil, .success(result)) } else { succeed(result.json) }
    }

    /// Answers with a result that is JSON already.
    package func succeed(raw write: (inout JSONWriter) -> Void) {
        answer(nil, write)
    }

    package func fail(_ error: TintypeError) {
        if !isAnswered { session.failure = error }
        if sink?.takesValues == true { return finish(error.name, .failure(error)) }
        answer(error.name, member: "error") { $0.value(error.json) }
    }

    /// Cancels the request on behalf of its client.
    package func cancel() {
        guard !isAnswered, !isCancelled else { return }
        isCancelled = true
        if let onCancel { return onCancel() }
        fail(Self.withdrawn)
    }

    /// Ends the request without an answer: the client has disconnected.
    func abandon() {
        guard !isAnswered else { return }
        isAbandoned = true
        let abandoned = onAbandoned
        trace?.span?.failure = "the client has gone"
        finish(nil, [])
        abandoned?()
    }

    /// Answers with an error because this coordinator will not finish the work.
    package func giveUp(_ error: TintypeError) {
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
        // A text from memory. The door answers almost all of them by itself (`MemoryHits`).
        if sink?.takesValues == true { return finish(error, .success(ImageResult(json: (try? JSON(parsing: writer.bytes))?["result"] ?? .null))) }
        if error == nil, let refusal = sink?.refusal(of: writer.bytes.count) {
            session.failure = refusal
            return finish(refusal.name, RPCAnswer.failure(id: id, refusal))
        }
        finish(error, writer.bytes)
    }

    private func finish(_ error: ErrorName?, _ response: [UInt8]) { finish(error) { $0.takesValues ? $0.ended(nil) : $0.answered(response) } }

    private func finish(_ error: ErrorName?, _ end: Result<ImageResult, TintypeError>) { finish(error) { $0.ended(end) } }

    private func finish(_ error: ErrorName?, _ deliver: (any AnswerSink) -> Void) {
        guard !isAnswered else { return }
        isAnswered = true
        let sink = sink
        self.sink = nil
        onCancel = nil
        onAbandoned = nil
        onGivenUp = nil
        // The session is updated before the answer, so that it has room for the next request. `ended` comes after the answer, because it lets a
        // stopping coordinator go on.
        session.ended(self)
        if let sink { deliver(sink) }
        ended(self, error)
    }
}

extension Call: AnswerOrder {
    package func inTurn<T>(
        _ bytes: Int, isKnown: Bool, _ body: @Loop () async throws(TintypeError) -> T
    ) async throws(TintypeError) -> T {
        guard bytes > 0 else { return try await body() }
        if let batch = sink as? AnswerBatch { return try await batch.inTurn(bytes, isKnown: isKnown, of: self, body) }
        return try await session.inTurn(bytes, isKnown: isKnown, body)
    }

    /// The part of an answer whose length is known only once it was read.
    package enum Reading: Sendable {
        case answer(JSON)
        /// The answer needs so many bytes, and is read again in a turn of its own.
        case longer(Int)
    }

    /// Answers with what `read` returns, in turn. An answer that is longer than the guess is read again when there is room for all of it.
    /// - Parameter read: Gets the bytes that there is room for.
    package func succeedInTurn(guessing guess: Int, _ read: @Loop (_ room: Int) async throws(TintypeError) -> Reading) async throws(TintypeError) -> JSON {
        var (bytes, isKnown) = (guess, false)
        while true {
            let reading = try await inTurn(bytes, isKnown: isKnown) { () async throws(TintypeError) in
                let reading = try await read(bytes)
                // The answer is written while it is this call's turn.
                if case .answer(let answer) = reading { succeed(answer) }
                return reading
            }
            switch reading {
            case .answer(let answer): return answer
            case .longer(let needed): (bytes, isKnown) = (max(bytes, needed), true)
            }
        }
    }
}

extension Call {
    /// The error for a request that its client canceled.
    package static var withdrawn: TintypeError {
        TintypeError(.cancelled, .admission, "the request was canceled by $/cancelRequest", details: ["reason": "cancelled"])
    }

    /// Runs a method that has to wait, as a task of `scope`. The task ends when the request is canceled or its client disconnects.
    package func run(in scope: TaskScope, _ body: @escaping @Loop () async throws(TintypeError) -> JSON) {
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
