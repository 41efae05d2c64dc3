import Synchronization

/// A request over HTTP.
package struct HTTPRequest: Sendable {
    var method: String
    var path: String
    var headers: [(name: String, value: String)]
    var body: [UInt8]?
    /// The most bytes of the answer's body.
    var most: Int
    /// Takes the pieces of the answer's body as they come, on the thread of the loop, in place of the answer. Only those of an answer with status 200.
    var pieces: (@Sendable (UnsafeBufferPointer<UInt8>) -> Void)?

    /// The longest time without a byte of the answer, for a stream that is never silent for long.
    package var mostSilence: Duration?

    package init(method: String = "GET", path: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil, most: Int = 1 << 30) {
        (self.method, self.path, self.headers, self.body, self.most) = (method, path, headers, body, most)
    }

    /// The name for errors: the path without its query, which may have a secret.
    var name: String { "\(method) \(path.prefix { $0 != "?" })" }

    func bytes(to address: Address) -> [UInt8] {
        let (base, host) = address.isUnix ? ("", "localhost") : (address.path, "\(address.hostInURL):\(address.port)")
        var text = "\(method) \(base)\(path) HTTP/1.1\r\nHost: \(host)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.count)\r\n" }
        var bytes = Array(text.utf8)
        bytes += [13, 10]
        if let body { bytes += body }
        return bytes
    }
}

/// A whole answer.
package struct HTTPAnswer: Sendable {
    let head: HTTPHead
    package let body: [UInt8]

    package var status: Int { head.status }

    /// The body as JSON, if it is that.
    var json: JSON? { try? JSON(parsing: body) }
}

/// One connection of HTTP, with one request at a time.
final class HTTPConnection: StreamReader {
    typealias Outcome = Result<HTTPAnswer, Failure>

    private struct State {
        var reader = HTTPReader()
        var body: [UInt8] = []
        var request: HTTPRequest?
        var answer: Once<Outcome>?
        var hasHeard = false
        var heard = ContinuousClock.Instant.now
        var failure: Failure?
        var end: String?
    }

    let address: Address
    private let stream: Stream
    private let onBytes: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameter onBytes: Called when bytes have come, on the thread of the loop.
    init(_ stream: Stream, to address: Address, onBytes: @escaping @Sendable () -> Void) {
        (self.stream, self.address, self.onBytes) = (stream, address, onBytes)
        stream.start(self)
    }

    /// Sends a request, and waits for its whole answer. A cancelled task closes the connection.
    func exchange(_ request: HTTPRequest) async -> Outcome {
        let answer = Once<Outcome>()
        let end = state.withLock { state -> String? in
            if let end = state.end { return end }
            (state.reader, state.body, state.request, state.answer) = (HTTPReader(), [], request, answer)
            (state.hasHeard, state.heard) = (false, .now)
            return nil
        }
        if let end { return .failure(.lost("\(address): \(end)", wasSent: false)) }
        stream.send(request.bytes(to: address))
        return await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            fail(.cancelled)
        }
    }

    /// Ends the request with a failure, and the connection.
    func fail(_ failure: Failure) {
        let answer = state.withLock { state in
            defer { (state.answer, state.request) = (nil, nil) }
            state.end = state.end ?? "the request was given up"
            return state.answer
        }
        stream.close("the request was given up")
        answer?.give(.failure(failure))
    }

    /// Whether another request may follow.
    var isFree: Bool { state.withLock { $0.end == nil && $0.answer == nil && $0.reader.isKept } }

    /// For how long the coordinator has been silent while it owes an answer; nil when it owes none.
    var silence: Duration? { state.withLock { $0.answer == nil ? nil : .now - $0.heard } }

    /// Whether a byte of the latest answer has come.
    var hasHeard: Bool { state.withLock { $0.hasHeard } }

    func received(_ bytes: UnsafeBufferPointer<UInt8>) {
        onBytes()
        var streamed: [UnsafeBufferPointer<UInt8>] = []
        let (sink, end) = state.withLock { state -> ((@Sendable (UnsafeBufferPointer<UInt8>) -> Void)?, (Once<Outcome>, Outcome)?) in
            guard let request = state.request, let answer = state.answer else { return (nil, nil) }
            (state.hasHeard, state.heard) = (true, .now)
            var body = [UInt8]()
            swap(&body, &state.body)
            var reader = state.reader
            var fault = reader.take(bytes) { piece in
                // The head is there before the first byte of the body.
                if request.pieces != nil { streamed.append(piece) } else { body.append(contentsOf: piece) }
            }
            if let head = reader.head, head.status != 200, request.pieces != nil {
                for piece in streamed { body.append(contentsOf: piece) }
                streamed = []
            }
            swap(&body, &state.body)
            state.reader = reader
            if state.body.count > request.most { fault = "the answer has more than \(request.most) bytes" }
            if let fault { return (request.pieces, (answer, .failure(.lost("\(address): \(request.name): \(fault)", wasSent: true)))) }
            guard reader.isDone, let head = reader.head else { return (request.pieces, nil) }
            defer { (state.request, state.answer, state.body) = (nil, nil, []) }
            return (request.pieces, (answer, .success(HTTPAnswer(head: head, body: state.body))))
        }
        if let sink { for piece in streamed { sink(piece) } }
        guard let (answer, outcome) = end else { return }
        if case .failure = outcome { stream.close("the answer cannot be read") }
        answer.give(outcome)
    }

    func ended(_ reason: String) {
        let end = state.withLock { state -> (Once<Outcome>, Outcome)? in
            state.end = state.end ?? reason
            guard let request = state.request, let answer = state.answer else { return nil }
            defer { (state.request, state.answer, state.body) = (nil, nil, []) }
            if state.reader.end(), let head = state.reader.head { return (answer, .success(HTTPAnswer(head: head, body: state.body))) }
            return (answer, .failure(.lost("\(address): \(request.name): \(reason)", wasSent: true)))
        }
        if let (answer, outcome) = end { answer.give(outcome) }
    }
}
