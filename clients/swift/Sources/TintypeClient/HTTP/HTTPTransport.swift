import Synchronization

/// JSON-RPC by `POST /rpc`, events by `GET /events`, and bytes.
final class HTTPTransport: Transport {
    /// Requests that wait for their image at a time, each on a connection of its own; a coordinator accepts a limited number from one address.
    private static let mostLoads = 100
    private static let mostStreams = 100
    /// A stream has a comment every 15 seconds.
    private static let mostSilence = Duration.seconds(40)

    private let hosts: [HTTPHost]
    private let loop: Loop
    private let token: Token?
    private let current = Mutex(0)
    /// The hosts whose certificates were refused since the last answer of any.
    private let untrusted = Mutex<Set<ObjectIdentifier>>([])
    private let isClosed = Mutex(false)
    private let streams = Turns(mostStreams)
    private let loads = Turns(mostLoads)

    init(_ addresses: [Address], loop: Loop, tls: TLSContext?, token: Token?, connectTimeout: Duration, silence: Duration) {
        (self.loop, self.token) = (loop, token)
        let dial = Dial(loop: loop, tls: tls)
        hosts = addresses.map { HTTPHost($0, loop: loop, dial: dial, connectTimeout: connectTimeout, silence: silence) }
    }

    var address: Address { host.address }

    private var host: HTTPHost { hosts[current.withLock { $0 }] }

    func call(_ method: String, _ params: JSON, until: Instant) async throws(TintypeError) -> JSON {
        // A cancel must not wait behind its load.
        let isLoad = method.hasPrefix("image.")
        if isLoad { try await wait(for: loads, until) }
        defer { if isLoad { loads.leave() } }
        return try await Retry.run(method, until: until) { await once(method, params, until) }
    }

    /// Waits for a place. The time of a request counts while it waits.
    private func wait(for turns: Turns, _ until: Instant) async throws(TintypeError) {
        if await turns.take(until: (until, loop)) { return }
        throw Task.isCancelled ? .withdrawn : .late("a request that waits for others of its client")
    }

    private func once(_ method: String, _ params: JSON, _ until: Instant) async -> Wire.Outcome {
        let request = HTTPRequest(
            method: "POST", path: "/rpc", headers: [("Content-Type", "application/json")], body: Wire.line(1, method, params), most: 512 << 20)
        switch await send(request, until, isRepeatable: !Retry.unrepeatable.contains(method)) {
        case .failure(let failure): return .failure(failure)
        case .success(let answer):
            let json = answer.json
            // A limit of the client has the status 429, and the answer of the method all the same.
            if let error = json?["error"], error["code"]?.intValue != nil { return .failure(turn(.refused(TintypeError(body: error)))) }
            guard answer.status == 200, let json else { return .failure(turn(.refused(Self.refusal(answer, method)))) }
            return .success(json["result"] ?? .null)
        }
    }

    // MARK: - Receipts

    func follow(_ work: Followed, sink: @escaping Sink) async throws(TintypeError) -> JSON {
        try await wait(for: streams, work.until)
        defer { streams.leave() }
        var isSubmitted = work.request == nil
        let last = Mutex("")
        return try await Retry.run(work.call.method, until: work.until) { () async -> Wire.Outcome in
            if !isSubmitted {
                switch await once(work.call.method, work.call.params, work.until) {
                case .failure(let failure): return .failure(failure)
                case .success(let answer):
                    if let event = WireEvent.terminal(answer) { return .success(event) }
                }
                isSubmitted = true
            }
            let query = "receipt=\(Self.escaped(work.receipt))"
            let begin = last.withLock { $0 }
            let terminal = Mutex<JSON?>(nil)
            var outcome = await read(query, after: begin, until: work.until) { id, event in
                if !id.isEmpty { last.withLock { $0 = id } }
                if WireEvent.isTerminal(event) { terminal.withLock { $0 = event } } else { self.show(event, sink) }
            }
            if let event = terminal.withLock({ $0 }) { return await whole(event, work) }
            // The stream has ended without a last event: its coordinator stops, or the client has the last event.
            if case .success = outcome { outcome = await once("receipt.get", ["receipt": .string(work.receipt)], work.until) }
            switch outcome {
            case .success(let answer):
                if let event = WireEvent.terminal(answer) { return .success(event) }
            case .failure(.refused(let error)) where error.name == .unknownReceipt && work.request != nil:
                // Redis has lost it.
                isSubmitted = false
            case .failure(let failure): return .failure(failure)
            }
            return .failure(.lost("the stream of events has ended early", wasSent: true))
        }
    }

    /// A terminal event of a stream has no bytes and no documents.
    private func whole(_ event: JSON, _ work: Followed) async -> Wire.Outcome {
        let isShort = work.request.map { $0["deliver"] == "inline" || ($0["as"] ?? "image") != "image" } ?? true
        guard event["type"] == "succeeded", isShort, var members = event.objectValue else { return .success(event) }
        return await once("receipt.get", ["receipt": .string(work.receipt)], work.until).map { answer in
            if let result = answer["result"] { members["result"] = result }
            return .object(members)
        }
    }

    /// A preview of a stream has a key in place of its bytes, for ten seconds.
    private func show(_ event: JSON, _ sink: @escaping Sink) {
        guard event["type"] == "preview", let key = event["key"]?.stringValue, let members = event.objectValue else { return sink(event) }
        let host = host
        let request = HTTPRequest(path: "/images/\(Self.escaped(key))", most: 4 << 20)
        previews.run {
            if case .success(let answer) = await self.send(request, .now + .seconds(10), host: host), answer.status == 200 {
                var shown = members
                shown["data"] = .string(Base64.encode(answer.body))
                sink(.object(shown))
            }
        }
    }

    private let previews = Errands()

    func withdraw(_ receipt: String) -> Bool { false }

    // MARK: - Queues

    func watch(queue: String, sink: @escaping Sink) async throws(TintypeError) {
        if await !streams.take() { throw .withdrawn }
        defer { streams.leave() }
        var backoff = Backoff()
        let last = Mutex("")
        while true {
            let hasEvents = Mutex(false)
            let outcome = await read("queue=\(Self.escaped(queue))", after: last.withLock { $0 }, until: nil) { id, event in
                if !id.isEmpty { last.withLock { $0 = id } }
                hasEvents.withLock { $0 = true }
                if event["type"] != "state" { sink(event) }
            }
            if hasEvents.withLock({ $0 }) { backoff.reset() }
            var pause = backoff.next()
            if case .failure(let failure) = outcome {
                guard let told = Retry.pause(after: failure, "events.subscribe", &backoff) else { throw failure.error("GET /events") }
                pause = told
            }
            try? await Task.sleep(for: pause)
            if Task.isCancelled { throw .withdrawn }
        }
    }

    /// Reads one stream of events, until it ends.
    private func read(_ query: String, after last: String, until: Instant?, _ take: @escaping @Sendable (String, JSON) -> Void) async -> Wire.Outcome {
        let events = Mutex(ServerEvents())
        var request = HTTPRequest(path: "/events?\(query)", headers: [("Accept", "text/event-stream")])
        request.mostSilence = Self.mostSilence
        if !last.isEmpty { request.headers.append(("Last-Event-ID", last)) }
        request.pieces = { bytes in
            var whole: [ServerEvent] = []
            _ = events.withLock { $0.take(bytes) { whole.append($0) } }
            for event in whole {
                guard var members = (try? JSON(parsing: event.data))?.objectValue else { continue }
                members["type"] = .string(event.type)
                take(event.id, .object(members))
            }
        }
        switch await send(request, until ?? .now + .seconds(365 * 86_400)) {
        case .failure(let failure): return .failure(failure)
        case .success(let answer):
            if answer.status == 204 || answer.status == 200 { return .success(.null) }
            return .failure(turn(.refused(Self.refusal(answer, "GET /events"))))
        }
    }

    // MARK: - Bytes

    /// Reads a picture.
    func bytes(_ path: String) async throws(TintypeError) -> [UInt8] {
        let request = HTTPRequest(path: path)
        let until = Instant.now + .seconds(60)
        return try await Retry.run(request.name, until: until) { () async -> Result<[UInt8], Failure> in
            switch await send(request, until) {
            case .failure(let failure): return .failure(failure)
            case .success(let answer):
                return answer.status == 200 ? .success(answer.body) : .failure(turn(.refused(Self.refusal(answer, "the picture"))))
            }
        }
    }

    /// Keeps bytes as a source for a while.
    func upload(_ bytes: [UInt8]) async throws(TintypeError) -> JSON {
        let request = HTTPRequest(method: "PUT", path: "/uploads", body: bytes)
        let until = Instant.now + .seconds(300)
        return try await Retry.run("PUT /uploads", until: until) { () async -> Wire.Outcome in
            switch await send(request, until) {
            case .failure(let failure): return .failure(failure)
            case .success(let answer):
                if answer.status == 201, let json = answer.json { return .success(json) }
                return .failure(turn(.refused(Self.refusal(answer, "the upload"))))
            }
        }
    }

    /// Keeps no connection without a request any more.
    func retire() {
        for host in hosts { host.retire() }
    }

    func close() {
        isClosed.withLock { $0 = true }
        previews.close()
        for host in hosts { host.close() }
    }

    // MARK: - Sending

    private func send(_ request: HTTPRequest, _ until: Instant, isRepeatable: Bool = true, host: HTTPHost? = nil) async -> HTTPConnection.Outcome {
        if isClosed.withLock({ $0 }) { return .failure(.refused(.closed)) }
        let host = host ?? self.host
        var request = request
        switch await token?.text() {
        case .failure(let failure): return .failure(failure)
        case .success(let text): request.headers.append(("Authorization", "Bearer \(text)"))
        case nil: break
        }
        let outcome = await host.exchange(request, until: until, isRepeatable: isRepeatable).mapError { turn($0, from: host) }
        if case .success = outcome { untrusted.withLock { $0.removeAll() } }
        return outcome
    }

    /// Turns to the next coordinator after a failure of this one. A wrong certificate of one says nothing about the others, so only that of the last is final.
    private func turn(_ failure: Failure, from host: HTTPHost? = nil) -> Failure {
        let isGone =
            switch failure {
            case .lost: true
            case .refused(let error): error.name == .shuttingDown || (host != nil && error.name == .tls)
            case .cancelled: false
            }
        if isGone {
            current.withLock { current in
                if host == nil || hosts[current] === host { current = (current + 1) % hosts.count }
            }
        }
        guard let host, case .refused(let error) = failure, error.name == .tls else { return failure }
        let isLast = untrusted.withLock { untrusted in
            untrusted.insert(ObjectIdentifier(host))
            return untrusted.count == hosts.count
        }
        return isLast ? failure : .lost(error.message, wasSent: false)
    }

    /// Returns the error of an answer that is none of a method: the server has not read the message.
    static func refusal(_ answer: HTTPAnswer, _ what: String) -> TintypeError {
        let given = answer.json?["error"]
        if let given, given["code"]?.intValue != nil { return TintypeError(body: given) }
        let name: ErrorName =
            switch answer.status {
            case 400: .invalidParams
            case 401: .unauthenticated
            case 403: .forbidden
            case 404: .cacheMiss
            case 408, 502, 503, 504: .unavailable
            case 413: .limitExceeded
            case 429: .overloaded
            default: .internal
            }
        var more: JSONObject = ["status": .integer(answer.status)]
        if let seconds = answer.head.headers["retry-after"].flatMap(Double.init) { more["retryAfter"] = .number(seconds) }
        let words = given?["message"]?.stringValue.map { ": \($0)" } ?? ""
        return .local(name, "\(what) was answered \(answer.status)\(words)", more: more)
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 45, 46, 95, 126:
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let hex = String(byte, radix: 16, uppercase: true)
                escaped += hex.count == 1 ? "%0\(hex)" : "%\(hex)"
            }
        }
        return escaped
    }
}
