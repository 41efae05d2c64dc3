/// One connection of an HTTP server: reads requests one after the other, hands them over, and sends their answers in the same order.
///
/// Bytes are read in place where they were received. Only those that wait are copied: parts of a head or a body, and requests that a client sent
/// ahead. While a request is answered, the connection reads on, to notice a client that goes.
@Loop
final class HTTPConnection {
    /// The time in which a refused client may read the answer. Its further bytes are dropped.
    nonisolated static let farewell = Duration.seconds(5)
    /// The maximum number of bytes that are read before the request before them is answered.
    private static let ahead = 64 << 10
    /// The maximum number of requests in one turn of the loop. Other connections have their turn then.
    private static let mostInTurn = 32

    enum Phase {
        /// The connection rests, or the head of a request is arriving.
        case head
        case body
        /// A request was handed over. Later bytes are read when that request is answered.
        case answering
        case refused
        case closed
    }

    let wire: any Wire
    /// The other side: a client, or a proxy.
    private let peer: ConnectionPeer
    private let isProxied: Bool
    let service: HTTPService
    private var permit: ConnectionPermit?
    private(set) var phase = Phase.head
    private var interest: DescriptorWatch.Interest = []
    private var scanner = HTTPHead.Scanner()
    private(set) var body: IncomingBody?
    private var reservation: BodyReservation?
    /// Bytes that wait, and the number of those at the front that are used up.
    private var held: [UInt8] = []
    private var used = 0
    private var isReading = false
    private var isResumeDue = false
    /// Whether the client sends no more.
    private var hasEnded = false
    /// Whether no byte after the current request has arrived with it.
    private var isAlone = true
    /// The request that is being answered.
    private(set) var exchange: HTTPExchange?
    /// The clocks of the connection: see `HTTPConnection+Clocks`.
    var clock = HTTPClock()
    var timer: LoopTimer?
    /// The time at which it fires.
    var due = ContinuousClock.now

    // The answer: see `HTTPConnection+Sending`.
    var outgoing = Outgoing()
    /// Whether the answer in `outgoing` is complete.
    var isFinal = false
    /// Whether the memory of the answer counts in the room for answers.
    var isCounted = false
    var closesAfterwards = false

    init(_ wire: any Wire, from other: SocketAddress?, _ permit: ConnectionPermit, _ service: HTTPService) {
        (self.wire, self.permit, self.service) = (wire, permit, service)
        peer = ConnectionPeer(other, certificate: wire.certificate)
        isProxied = service.proxies.contain(peer)
        wire.onReadable = { [unowned self] in readable() }
        wire.onWritable = { [unowned self] in writable() }
        rest()
        updateInterest()
    }

    /// The number of bytes that have arrived and are not used up yet.
    var heldInput: Int { held.count - used }

    /// Asks the wire for the callbacks that the phase needs.
    func updateInterest() {
        guard phase != .closed else { return }
        var wanted: DescriptorWatch.Interest = []
        if !hasEnded, heldInput < Self.ahead { wanted.insert(.read) }
        if !outgoing.isEmpty && !outgoing.goesOn || wire.pending > 0 { wanted.insert(.write) }
        guard wanted != interest else { return }
        interest = wanted
        wire.wants(wanted)
    }

    /// Returns the client of a request.
    private func client(of head: HTTPHead) -> ConnectionPeer {
        isProxied ? service.proxies.client(of: peer, forwarded: head.list("x-forwarded-for")) : peer
    }

    // MARK: Reading

    private func readable() {
        switch wire.read(into: service.scratch) {
        case .nothing: break
        case .broken: close()
        case .end: inputEnded()
        case .bytes(let count):
            if phase == .body { clock.read(at: .now) }
            let bytes = UnsafeRawBufferPointer(rebasing: service.scratch[..<count])
            let taken = heldInput == 0 && !isResumeDue ? read(bytes) : 0
            if taken < count, phase != .refused, phase != .closed { hold(bytes[taken...]) }
        }
        updateInterest()
    }

    private func hold(_ bytes: Slice<UnsafeRawBufferPointer>) {
        if used > Self.ahead {
            held.removeFirst(used)
            used = 0
        }
        held.append(contentsOf: bytes)
    }

    /// Reads requests until the bytes are used up or a request waits for its answer.
    /// - Returns: how many bytes were used up.
    private func read(_ bytes: UnsafeRawBufferPointer) -> Int {
        isReading = true
        defer { isReading = false }
        var (taken, turns) = (0, 0)
        while taken < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[taken...])
            switch phase {
            case .head where turns == Self.mostInTurn:
                resumeLater()
                return taken
            case .head:
                turns += 1
                taken += readHead(rest)
            case .body: taken += readBody(rest)
            case .refused: return bytes.count
            case .answering, .closed: return taken
            }
        }
        return taken
    }

    /// Goes on with the bytes that wait.
    private func resume() {
        guard !isReading, !isResumeDue, phase == .head || phase == .body else { return }
        if heldInput > 0 {
            let waiting = held
            let taken = waiting.withUnsafeBytes { read(UnsafeRawBufferPointer(rebasing: $0[used...])) }
            used += taken
            if used >= held.count || phase == .refused { (held, used) = ([], 0) }
        }
        if hasEnded, !isResumeDue, phase == .head || phase == .body { return close() }
        updateInterest()
    }

    private func resumeLater() {
        isResumeDue = true
        Loop.execute { [weak self] in
            self?.isResumeDue = false
            self?.resume()
        }
    }

    /// Notes that the client sends no more. A client whose answer is complete may still read it. Any other one counts as gone.
    private func inputEnded() {
        hasEnded = true
        switch phase {
        case .head, .body: if !isResumeDue { close() }
        case .answering where isFinal:
            clock.inputEnded(at: .now)
            look()
        case .answering, .refused: close()
        case .closed: break
        }
    }

    private func readHead(_ bytes: UnsafeRawBufferPointer) -> Int {
        let end = scanner.take(bytes)
        if scanner.count > HTTPHead.Scanner.limit {
            refuse(scanner.head, .tooLong(limit: HTTPHead.Scanner.limit))
        } else if let end {
            let head = scanner.head
            scanner = HTTPHead.Scanner()
            clock.headEnded()
            isAlone = end == bytes.count
            begin(head)
            return end
        } else if clock.headBegan() {
            look()
        }
        return bytes.count
    }

    /// Decides about a request by its head.
    private func begin(_ head: HTTPHead) {
        if let flaw = head.flaw { return refuse(head, .badHead(flaw)) }
        guard let method = HTTPExchange.method(head.method) else { return refuse(HTTPRefusal(501, "this method is not served here")) }
        let (limit, budget) = service.bodyLimiter.allowance(for: head, from: client(of: head))
        guard head.length != 0 else { return handOver(head, method, []) }
        let body = IncomingBody(head, limit: min(limit, service.maxBody))
        reservation = BodyReservation(budget)
        guard admits(body) else { return }
        switch head.expectation {
        case .none: break
        case .proceed where isAlone: transmit("HTTP/1.1 100 Continue\r\n\r\n")
        case .proceed: break
        case .other: return refuse(HTTPRefusal(417, "only 100-continue can be expected"))
        }
        (self.body, phase) = (body, .body)
        clock.bodyBegan(at: .now)
        look()
    }

    private func readBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let taken = body?.take(bytes), let body else { return bytes.count }
        isAlone = taken == bytes.count
        if let flaw = body.flaw {
            refuse(body.head, .badBody(flaw))
        } else if admits(body), body.isComplete {
            handOver(body.head, HTTPExchange.method(body.head.method) ?? "", body.bytes)
        }
        return taken
    }

    /// Returns whether there is room for the body as far as it is known, and refuses it otherwise.
    private func admits(_ body: IncomingBody) -> Bool {
        if body.announced > body.limit {
            refuse(body.head, .tooLong(limit: body.limit))
        } else if reservation?.grow(to: body.announced) == false {
            refuse(body.head, .noRoom)
        } else {
            return true
        }
        return false
    }

    private func handOver(_ head: HTTPHead, _ method: String, _ bytes: [UInt8]) {
        let exchange = HTTPExchange(head, method, bytes, reservation, from: client(of: head), on: self)
        (body, reservation) = (nil, nil)
        self.exchange = exchange
        (phase, isFinal, closesAfterwards) = (.answering, false, false)
        clock.answerBegan()
        service.began()
        service.handler(exchange)
    }

    // MARK: Ends

    /// Notes that the kernel has the whole answer.
    func answered() {
        exchange?.ended()
        exchange = nil
        (phase, isFinal) = (.head, false)
        service.ended()
        guard phase == .head else { return }
        if closesAfterwards { return bidFarewell() }
        rest()
        resume()
    }

    /// Ends the connection after a complete answer. A client that has sent more could lose the answer by an immediate end.
    private func bidFarewell() {
        if hasEnded || heldInput == 0 && isAlone { return close() }
        phase = .refused
        (held, used) = ([], 0)
        clock.farewellBegan()
        look()
        wire.endSending()
    }

    private func refuse(_ head: HTTPHead, _ reason: BodyRefusal) { refuse(service.bodyLimiter.refusal(of: head, from: client(of: head), because: reason)) }

    /// Refuses a request. The client has a moment to read the answer, in which its bytes are dropped.
    private func refuse(_ answer: HTTPRefusal) {
        phase = .refused
        (body, reservation, held, used) = (nil, nil, [], 0)
        clock.farewellBegan()
        look()
        transmit(answer.bytes)
        if outgoing.isEmpty, wire.pending == 0 { wire.endSending() }
    }

    /// Refuses a request that arrives too slowly.
    func refuseSlow() { refuse(body?.head ?? scanner.head, .tooSlow) }

    /// Closes at once. An open exchange learns that its client has gone.
    func close() {
        guard phase != .closed else { return }
        phase = .closed
        if isCounted { service.unsent.leave(self) }
        (timer, permit, reservation, body, outgoing) = (nil, nil, nil, nil, Outgoing())
        (held, used) = ([], 0)
        wire.close()
        let exchange = exchange
        self.exchange = nil
        service.forget(self)
        if exchange != nil { service.ended() }
        exchange?.closed()
    }
}
