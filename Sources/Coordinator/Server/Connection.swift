package import TintypeCore
package import TintypeTransport
import TintypeImages

/// The TCP connection of one client: splits bytes into messages, hands them on in order, and limits the memory of both directions.
///
/// Input: a turn of the loop takes only a few messages, so that no client starves the others. While 1,024 requests are unanswered, further requests
/// wait here. Reading stops when too many bytes wait.
///
/// Output: above the high-water mark the connection stops reading, stops taking messages and stops building large answers (`AnswerScheduler`). A client
/// that accepts no byte for 2 s is closed once 16 MiB are pending for it.
///
/// All clients share the room for pending output (`LongAnswerBudget`). A connection without room counts as above the mark, answers `overloaded`, is closed
/// at 512 KiB without a place, and is judged by its pace.
@Loop
package final class Connection: AnswerSink, LongAnswerReader {
    package enum Limits {
        /// The number of unanswered requests above which only `urgent` methods are taken.
        static let unanswered = 1024
        /// Methods that are taken at any number of waiting requests, except while the client is given time to read.
        static let urgent: Set<String> = ["receipt.cancel", "$/cancelRequest", "system.ping"]
        /// Bytes of waiting requests, as `WaitingList` counts them, above which reading stops.
        package static let waiting = 1 << 20
        /// Messages taken in one turn of the loop.
        package static let turn = 64
        /// Bytes of pending output above which the connection stops reading and taking messages.
        static let highWater = 4 << 20
        /// Bytes of pending output above which a client that does not read is closed.
        package static let unsent = 16 << 20
        /// Bytes of pending output above which any client is closed, even one that accepts a byte now and then. The high-water mark can be exceeded
        /// by the large answer whose turn has come, by small answers to requests taken earlier, and by events. Their sum stays below this limit for
        /// a client that reads.
        static let ceiling = 64 << 20
        /// Bytes of pending output without a place in the room of all clients, above which a client is closed. Errors and events take them.
        static let homeless = 512 << 10
        /// Bytes of one message from an unauthenticated client.
        package static let unauthenticated = 64 << 10
        /// The time for which the remainder of a refused message is read and dropped.
        static let farewell = Duration.seconds(1)
        /// The time in which a client that has closed its sending side still receives answers.
        static let halfClose = Duration.seconds(2)
        /// The time without an accepted byte after which a client counts as one that does not read.
        static let stall = Duration.seconds(2)
    }

    private let stream: ByteStream
    private let dispatcher: Dispatcher
    private let receipts: ReceiptTable
    private let metrics: Metrics
    private let logger: Logger
    private let connections: Connections
    package private(set) lazy var session = Session(peer: stream.peer, ownsReceipts: true, certificate: { [stream] in stream.certificate }) { [weak self] in
        self?.notify($0, $1)
    }

    private var splitter = MessageSplitter()
    private var backlog = FIFO<MessageSplitter.Piece>()
    private var waiting = WaitingList()
    private var corked: [UInt8]?
    private var isScheduled = false
    private var isReading = true
    /// Whether another thread reads a long message, or a long batch is taken. Later messages wait, so that their order stays.
    private var isBusy = false
    private var isOverHighWater = false
    private var isStalled = false
    /// Whether the room of all clients had no place for its output.
    private var isOverRoom = false { didSet { if isOverRoom != oldValue { session.turns?.setJudged(isOverRoom) } } }
    /// All bytes ever written, and the number of them that the client had received at the last check.
    private var written = 0
    private var receivedBefore = 0
    private var received: Int { written - stream.unreceivedOutput }
    /// The connection no longer gives the client time to read: every message that was read is answered now.
    private var isShuttingDown = false
    private var authenticationTimeout: LoopTimer?
    private var stallTimer: LoopTimer?
    private var farewell: LoopTimer?
    private var hasReachedEnd = false
    private var halfClose: LoopTimer?

    init(
        _ stream: ByteStream, dispatcher: Dispatcher, receipts: ReceiptTable, metrics: Metrics, logger: Logger,
        answers: LongAnswerBudget, _ connections: Connections
    ) {
        self.stream = stream
        self.dispatcher = dispatcher
        self.receipts = receipts
        self.metrics = metrics
        self.logger = logger.with(["peer": stream.peer])
        self.connections = connections
        let network = session.network ?? ""
        session.turns = AnswerScheduler(
            in: answers, of: network, for: self, room: { [weak self] in self?.roomForMore ?? 0 },
            isUnsent: { [stream] in stream.pendingOutput > AnswerScheduler.large })
        session.cancelWaiting = { [weak self] in self?.cancelWaiting($0) }
        stream.onBytes = { [weak self] in self?.received($0) }
        stream.onEnd = { [weak self] in self?.reachedEnd($0) }
        stream.onDrained = { [weak self] in self?.drained() }
        if isUnauthenticated { authenticationTimeout = LoopTimer(after: connections.authenticationTimeout) { [weak self] in self?.refuseUnauthenticated() } }
    }

    private var isUnauthenticated: Bool { !dispatcher.admits(session) }

    private func refuseUnauthenticated() {
        if isUnauthenticated, farewell == nil, !stream.isClosed { refuse(AccessControl.missing) }
    }

    // MARK: Input

    private func received(_ bytes: UnsafeRawBufferPointer) {
        guard farewell == nil else { return }
        splitter.append(bytes) { backlog.append($0) }
        if !isScheduled { takeTurn() }
        // All earlier messages have been taken, including one with a token.
        if splitter.pendingBytes > Limits.unauthenticated, backlog.isEmpty, farewell == nil, isUnauthenticated {
            refuse(TintypeError(.invalidRequest, .admission, "messages over 64 KiB require authentication: send a token by session.authenticate first"))
        }
    }

    /// Takes some messages. The next turn of the loop takes more.
    private func takeTurn() {
        corked = []
        var budget = Limits.turn
        while budget > 0, hasRoom, !isHeldBack, !isBusy, let next = waiting.popFirst() {
            dispatch(next)
            budget -= 1
        }
        while budget > 0, farewell == nil, !isHeldBack, !isBusy, let piece = backlog.popFirst() {
            budget -= 1
            switch piece {
            case .message(let bytes) where bytes.count >= RPCMessage.long: parse(bytes)
            case .message(let bytes): take(RPCMessage.read(bytes), bytes.count)
            case .broken(let error): refuse(error)
            }
        }
        uncork()
        settle()
    }

    private var hasRoom: Bool { session.callsInFlight < Limits.unanswered }

    private func take(_ content: RPCMessage.Content, _ bytes: Int) {
        if (hasRoom && waiting.isEmpty) || Self.isUrgent(content) { return dispatch(content) }
        waiting.append(content, bytes: bytes)
    }

    private func parse(_ bytes: [UInt8]) {
        isBusy = true
        Loop.work({ RPCMessage.read(bytes) }) { [weak self] content in
            guard let self, session.isOpen, farewell == nil else { return }
            isBusy = false
            take(content, bytes.count)
            settle()
        }
    }

    private func dispatch(_ content: RPCMessage.Content) {
        guard case .batch = content else { return _ = dispatcher.take(content, from: session, to: self) }
        isBusy = !dispatcher.take(content, from: session, to: self) { [weak self] in
            self?.isBusy = false
            self?.settle()
        }
    }

    private static func isUrgent(_ content: RPCMessage.Content) -> Bool {
        switch content {
        case .single(.request(_, let method, _)), .single(.notification(let method, _)): Limits.urgent.contains(method)
        case .single(.invalid), .batch: false
        }
    }

    /// Cancels a request that has not been taken yet (`$/cancelRequest`). A member of a batch is answered with the other members.
    private func cancelWaiting(_ id: JSON) {
        let error = Outcome.cancellation(reason: "requested", phase: "admission")
        if waiting.withdraw(id, with: error) { answered(RPCAnswer.failure(id: id, error)) }
    }

    /// Whether the client is given time to receive the written output. A client that accepts nothing gets no such time: its requests are served
    /// until it is closed.
    private var isHeldBack: Bool { isOverHighWater && !isStalled && !isShuttingDown }
    private var hasMore: Bool { !isBusy && (!backlog.isEmpty || (!waiting.isEmpty && hasRoom)) }
    private var hasWork: Bool { hasMore && !isHeldBack }
    private var mayRead: Bool { waiting.bytes < Limits.waiting && !isHeldBack && !isBusy }
    /// Whether every message that the client will ever send has been taken.
    private var isDone: Bool { hasReachedEnd && !hasMore }

    /// Decides the next step: another turn, reading or not, or the end.
    private func settle() {
        guard !stream.isClosed else { return }
        if hasWork {
            setReading(false)
            schedule()
        } else if isBusy {
            setReading(false)
        } else if isShuttingDown {
            schedule()
        } else if isDone {
            beginClosing()
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

    /// Continues in the next turn of the loop, never from within a read or an answer.
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
        } else if isBusy {
            setReading(false)
        } else if isShuttingDown {
            end()
        } else if isDone {
            beginClosing()
        } else if mayRead {
            setReading(true)
        }
    }

    /// Refuses input that cannot be split into messages: sends the error, reads on for a moment so that the error arrives, and ends.
    private func refuse(_ error: TintypeError) {
        metrics.add(.rpcCuts, labels: error.name == .invalidRequest ? "tooLong" : error.name == .unauthenticated ? "noToken" : "badFrame")
        logger.info("closing a client: its input is invalid, or its token is missing", ["error": error.message, "client": session.client.shown])
        answered(RPCAnswer.failure(id: .null, error))
        backlog = FIFO()
        let time: Duration = error.name == .invalidRequest ? Limits.farewell : .milliseconds(100)
        farewell = LoopTimer(after: time) { [weak self] in self?.end() }
    }

    // MARK: Output

    package func refusal(of bytes: Int) -> TintypeError? {
        let isAsked = isOverRoom || bytes > AnswerScheduler.large
        return isAsked && session.turns?.covers(stream.pendingOutput + bytes) == false ? LongAnswerBudget.full : nil
    }

    package func answered(_ response: [UInt8]) {
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
        if message.count >= AnswerScheduler.large { return send(large: message) }
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

    /// Sends a large message after the corked output, without a copy of it.
    private func send(large message: [UInt8]) {
        let isCorked = corked != nil
        uncork()
        let isLine = splitter.framing != .headers
        if !isLine { write(Array("Content-Length: \(message.count)\r\n\r\n".utf8)) }
        write(message)
        if isLine { write([10]) }
        session.turns?.written()
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
        guard unsent > AnswerScheduler.large else { return }
        isOverRoom = session.turns?.covers(unsent) == false
        guard unsent > Limits.highWater || isOverRoom else { return }
        // The client reads again, so it is given time again.
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
        if isOverRoom, isStalled || session.turns.map({ $0.uncovered(unsent) > Limits.homeless }) == true { return true }
        return isStalled ? unsent + (session.turns?.waitingBytes ?? 0) > Limits.unsent : unsent > Limits.ceiling
    }

    /// Checks whether the client has received anything since the last check. The amount of pending output says nothing, because events may arrive
    /// as fast as the client reads.
    private func checkStall() {
        // After the end of the client's input, no event reports that the connection broke.
        guard !stream.isClosed else { return end() }
        let (unsent, received) = (stream.pendingOutput, received)
        (isStalled, receivedBefore) = (received == receivedBefore, received)
        if isTooMuch(unsent) { return cut(unsent) }
        settle()
    }

    private func drained() {
        session.turns?.drained()
        guard isOverHighWater else { return }
        (isOverHighWater, isOverRoom, isStalled, stallTimer) = (false, false, false, nil)
        settle()
    }

    // MARK: End

    private func reachedEnd(_ end: StreamEnd) {
        hasReachedEnd = true
        if case .failed(let reason) = end { logger.debug("a connection broke", ["reason": reason, "client": session.client.shown]) }
        if stream.isClosed { return self.end() }
        if !isScheduled { settle() }
    }

    /// Handles a client that has closed its sending side. Only a write would show whether the client still reads, so it receives the answers that
    /// are ready soon. Work that only this client waits for is canceled, as after a disconnect.
    private func beginClosing() {
        if halfClose == nil {
            halfClose = LoopTimer(after: Limits.halfClose) { [weak self] in self?.end() }
            session.beginClosing(receipts)
        }
        if session.callsInFlight == 0, !hasWork { end() }
    }

    /// Lets the closed dispatcher refuse the messages that were read and not taken yet, then ends the connection. This takes as many turns of the
    /// loop as needed, so that signals are received in between.
    func shutDown() {
        isShuttingDown = true
        guard hasWork || isBusy, !stream.isClosed else { return end() }
        setReading(false)
        schedule()
    }

    /// Ends the session, and closes the connection once the written output is sent.
    package func end() {
        guard session.isOpen else { return }
        let reservations = session.turns?.takeReservations()
        session.end(receipts)
        stallTimer = nil
        farewell = nil
        halfClose = nil
        stream.onEnd = nil
        connections.ended(self)
        // The output keeps its places until it is sent.
        stream.closeAfterFlush { [connections] in withExtendedLifetime(reservations) { connections.streamClosed() } }
    }

    package var takenBytes: Int? { stream.pendingOutput > 0 ? received : nil }

    package func cutSlow() { cut(stream.pendingOutput) }

    private func cut(_ unsent: Int) {
        metrics.add(.rpcCuts, labels: "slow")
        logger.notice("closing a client that does not read its answers", ["unsent": unsent, "client": session.client.shown])
        stream.close()
        // Ends later, because the caller may be in the middle of a write.
        Loop.execute { [weak self] in self?.end() }
    }
}
