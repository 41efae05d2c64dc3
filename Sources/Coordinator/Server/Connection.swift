import TintypeCore
import TintypeTransport
import TintypeImages

/// One client's TCP connection: cuts bytes into messages, hands them on in order, and keeps both directions bounded.
///
/// Inwards: a few messages a turn of the loop, so that no client starves the others; with 1,024 requests unanswered further ones wait
/// here, and reading stops when too many wait. Outwards: beyond the high water nothing more is read from a client that reads slowly, nor
/// taken of what was read, and large answers are not even made (`AnswerTurns`); one that is seen not to read at all, every two seconds, is cut
/// when 16 MiB wait for it.
@Loop
final class Connection: AnswerSink {
    enum Limits {
        /// Requests unanswered before only those of `urgent` are taken.
        static let unanswered = 1024
        /// Methods that are taken however many wait, unless the client is given time to read.
        static let urgent: Set<String> = ["receipt.cancel", "$/cancelRequest", "system.ping"]
        /// Bytes of requests that wait to be taken, as `WaitingList` counts them, before reading stops.
        static let waiting = 1 << 20
        /// Messages taken in one turn of the loop.
        static let turn = 64
        /// Bytes of output before reading stops, and taking what was read.
        static let highWater = 4 << 20
        /// Bytes of output that are too many for a client that does not read.
        static let unsent = 16 << 20
        /// Bytes of output that are too many for any client, also for one that takes a byte now and then. The large answers whose turn it is, small
        /// ones to what was taken below the high water, and events come on top of that; they stay below this where somebody reads.
        static let ceiling = 64 << 20
        /// Bytes of one message of a stranger.
        static let stranger = 64 << 10
        /// How long the rest of a message that was refused is read and dropped.
        static let farewell = Duration.seconds(1)
        /// How long a client that sends no more is given for the answers that come at once.
        static let departure = Duration.seconds(2)
        /// After this time without a byte received, a client counts as one that does not read.
        static let stall = Duration.seconds(2)
    }

    private let stream: Stream
    private let dispatcher: Dispatcher
    private let receipts: ReceiptTable
    private let metrics: Metrics
    private let logger: Logger
    private let connections: Connections
    private(set) lazy var session = Session(peer: stream.peer, ownsReceipts: true) { [weak self] in self?.notify($0, $1) }

    private var splitter = MessageSplitter()
    private var backlog = FIFO<MessageSplitter.Piece>()
    private var waiting = WaitingList()
    private var corked: [UInt8]?
    private var isScheduled = false
    private var isReading = true
    private var isOverHighWater = false
    private var isStalled = false
    /// All that was ever written, and how much of it the client had received at the last look.
    private var written = 0
    private var receivedBefore = 0
    private var received: Int { written - stream.unreceivedOutput }
    /// Nobody waits for the client any more: all that was read is answered.
    private var isShuttingDown = false
    private var entrance: LoopTimer?
    private var stallTimer: LoopTimer?
    private var farewell: LoopTimer?
    private var hasReachedEnd = false
    private var departure: LoopTimer?

    init(
        _ stream: Stream, dispatcher: Dispatcher, receipts: ReceiptTable, metrics: Metrics, logger: Logger,
        _ connections: Connections
    ) {
        self.stream = stream
        self.dispatcher = dispatcher
        self.receipts = receipts
        self.metrics = metrics
        self.logger = logger.with(["peer": stream.peer])
        self.connections = connections
        session.turns = AnswerTurns { [weak self] in self?.roomForMore ?? 0 }
        session.cancelWaiting = { [weak self] in self?.cancelWaiting($0) }
        stream.onBytes = { [weak self] in self?.received($0) }
        stream.onEnd = { [weak self] in self?.reachedEnd($0) }
        stream.onDrained = { [weak self] in self?.drained() }
        if isStranger { entrance = LoopTimer(after: connections.entrance) { [weak self] in self?.endEntrance() } }
    }

    private var isStranger: Bool { !dispatcher.admits(session) }

    private func endEntrance() {
        guard isStranger, farewell == nil, !stream.isClosed else { return }
        refuse(Door.missing)
    }

    // MARK: Inwards

    private func received(_ bytes: UnsafeRawBufferPointer) {
        guard farewell == nil else { return }
        splitter.append(bytes) { backlog.append($0) }
        if !isScheduled { takeTurn() }
        // What was before it has been taken, a token too.
        if splitter.pendingBytes > Limits.stranger, backlog.isEmpty, farewell == nil, isStranger {
            refuse(TintypeError(.invalidRequest, .admission, "a message of more than 64 KiB is taken only from who has shown a token"))
        }
    }

    /// Takes some messages; more in the next turn of the loop.
    private func takeTurn() {
        corked = []
        var budget = Limits.turn
        while budget > 0, hasRoom, !isHeldBack, let next = waiting.popFirst() {
            dispatcher.take(next, from: session, to: self)
            budget -= 1
        }
        while budget > 0, farewell == nil, !isHeldBack, let piece = backlog.popFirst() {
            budget -= 1
            switch piece {
            case .message(let bytes): take(RPCMessage.read(bytes), bytes.count)
            case .broken(let error): refuse(error)
            }
        }
        uncork()
        settle()
    }

    private var hasRoom: Bool { session.callsInFlight < Limits.unanswered }

    private func take(_ content: RPCMessage.Content, _ bytes: Int) {
        if (hasRoom && waiting.isEmpty) || Self.isUrgent(content) { return dispatcher.take(content, from: session, to: self) }
        waiting.append(content, bytes: bytes)
    }

    private static func isUrgent(_ content: RPCMessage.Content) -> Bool {
        switch content {
        case .single(.request(_, let method, _)), .single(.notification(let method, _)): Limits.urgent.contains(method)
        case .single(.invalid), .batch: false
        }
    }

    /// `$/cancelRequest` of a request that was not even taken yet. One of a batch is answered with the others, when their turn comes.
    private func cancelWaiting(_ id: JSON) {
        let error = Outcome.cancellation(reason: "requested", phase: "admission")
        if waiting.withdraw(id, with: error) { answered(RPCAnswer.failure(id: id, error)) }
    }

    /// The client is given time to take what was written. One that takes nothing is not waited for: it is served on until it is cut.
    private var isHeldBack: Bool { isOverHighWater && !isStalled && !isShuttingDown }
    private var hasMore: Bool { !backlog.isEmpty || (!waiting.isEmpty && hasRoom) }
    private var hasWork: Bool { hasMore && !isHeldBack }
    private var mayRead: Bool { waiting.bytes < Limits.waiting && !isHeldBack }
    /// All that the client will ever send was taken.
    private var isDone: Bool { hasReachedEnd && !hasMore }

    /// Decides what happens next: another turn, reading or not, or the end.
    private func settle() {
        guard !stream.isClosed else { return }
        if hasWork {
            setReading(false)
            schedule()
        } else if isShuttingDown {
            schedule()
        } else if isDone {
            depart()
        } else if !mayRead {
            setReading(false)
        } else if !isReading {
            schedule()
        }
    }

    private func setReading(_ reading: Bool) {
        guard reading != isReading else { return }
        isReading = reading
        if reading { stream.resumeReading() } else { stream.pauseReading() }
    }

    /// Goes on in the next turn of the loop: never from within a read or an answer.
    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        Loop.execute { [weak self] in self?.proceed() }
    }

    private func proceed() {
        isScheduled = false
        guard !stream.isClosed else { return }
        if hasWork {
            takeTurn()
        } else if isShuttingDown {
            end()
        } else if isDone {
            depart()
        } else if mayRead {
            setReading(true)
        }
    }

    /// What came cannot be cut into messages: says so, reads on for a moment so that the answer arrives, and ends.
    private func refuse(_ error: TintypeError) {
        metrics.add(.rpcCuts, labels: error.name == .invalidRequest ? "tooLong" : error.name == .unauthenticated ? "noToken" : "badFrame")
        logger.info("a client is cut off for what it has sent, or has not", ["error": error.message, "client": session.client.shown])
        answered(RPCAnswer.failure(id: .null, error))
        backlog = FIFO()
        let time: Duration = error.name == .invalidRequest ? Limits.farewell : .milliseconds(100)
        farewell = LoopTimer(after: time) { [weak self] in self?.end() }
    }

    // MARK: Outwards

    func answered(_ response: [UInt8]) {
        if !response.isEmpty { send(response) }
        let isLast = hasReachedEnd && session.callsInFlight == 0
        if isLast || !waiting.isEmpty && hasRoom, corked == nil { schedule() }
    }

    private func notify(_ notification: [UInt8], _ type: String) {
        metrics.add(.rpcNotifications, labels: type)
        send(notification)
    }

    private func send(_ message: [UInt8]) {
        guard !stream.isClosed else { return }
        if message.count >= AnswerTurns.large { return send(large: message) }
        if corked != nil {
            append(message)
            if (corked?.count ?? 0) > 1 << 18 {
                uncork()
                corked = []
            }
            return
        }
        write((splitter.framing ?? .lines).framed(message))
    }

    /// Behind what was corked, and without a copy of it.
    private func send(large message: [UInt8]) {
        let isCorked = corked != nil
        uncork()
        let isLine = splitter.framing != .headers
        if !isLine { write(Array("Content-Length: \(message.count)\r\n\r\n".utf8)) }
        write(message)
        if isLine { write([10]) }
        if isCorked { corked = [] }
    }

    private func append(_ message: [UInt8]) {
        if splitter.framing == .headers {
            corked?.append(contentsOf: MessageFraming.headers.framed(message))
        } else {
            corked?.append(contentsOf: message)
            corked?.append(10)
        }
    }

    private func uncork() {
        guard let bytes = corked else { return }
        corked = nil
        if !bytes.isEmpty { write(bytes) }
    }

    private func write(_ bytes: [UInt8]) {
        stream.write(bytes)
        written += bytes.count
        let unsent = stream.pendingOutput
        guard unsent > Limits.highWater else { return }
        // It reads again, and is waited for again.
        if isStalled, received != receivedBefore { isStalled = false }
        if isTooMuch(unsent) { return cut(unsent) }
        if !isOverHighWater {
            isOverHighWater = true
            receivedBefore = received
            stallTimer = LoopTimer(after: Limits.stall, repeating: true) { [weak self] in self?.checkStall() }
            if corked == nil { settle() }
        }
    }

    private var roomForMore: Int { Limits.highWater - stream.pendingOutput - (corked?.count ?? 0) }

    private func isTooMuch(_ unsent: Int) -> Bool {
        isStalled ? unsent + (session.turns?.waitingBytes ?? 0) > Limits.unsent : unsent > Limits.ceiling
    }

    /// Whether the client has received anything since the last look. Not whether less waits for it: events may come as fast as it reads.
    private func checkStall() {
        // After the client's end nobody tells that the connection broke.
        guard !stream.isClosed else { return end() }
        let (unsent, received) = (stream.pendingOutput, received)
        isStalled = received == receivedBefore
        receivedBefore = received
        if isTooMuch(unsent) { return cut(unsent) }
        settle()
    }

    private func drained() {
        session.turns?.look()
        guard isOverHighWater else { return }
        isOverHighWater = false
        isStalled = false
        stallTimer = nil
        settle()
    }

    // MARK: The end

    private func reachedEnd(_ end: StreamEnd) {
        hasReachedEnd = true
        if case .failed(let reason) = end { logger.debug("a connection broke", ["reason": reason]) }
        if stream.isClosed { return self.end() }
        if !isScheduled { settle() }
    }

    /// The client sends no more. Whether it still listens, only a write would tell, so it is given the answers that come at once; what
    /// it alone would have waited for is withdrawn as if it had gone.
    private func depart() {
        if departure == nil {
            departure = LoopTimer(after: Limits.departure) { [weak self] in self?.end() }
            session.depart(receipts)
        }
        if session.callsInFlight == 0, !hasWork { end() }
    }

    /// Has the dispatcher, which has closed, refuse what was read and not taken yet, and ends. As many turns of the loop as that takes: a
    /// signal is heard between them.
    func shutDown() {
        isShuttingDown = true
        guard hasWork, !stream.isClosed else { return end() }
        setReading(false)
        schedule()
    }

    /// Ends the session and, once what was written is sent, the connection.
    func end() {
        guard session.isOpen else { return }
        session.end(receipts)
        stallTimer = nil
        farewell = nil
        departure = nil
        stream.onEnd = nil
        connections.ended(self)
        stream.closeAfterFlush { [connections] in connections.streamClosed() }
    }

    private func cut(_ unsent: Int) {
        metrics.add(.rpcCuts, labels: "slow")
        logger.notice("cut a client that does not read", ["unsent": unsent, "client": session.client.shown])
        stream.close()
        // Not from within a write that others are in the middle of.
        Loop.execute { [weak self] in self?.end() }
    }
}
