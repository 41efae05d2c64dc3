import CEvent
import Glibc

/// One connection of an HTTP server, beside evhttp. It counts the incoming bytes, asks the `BodyLimiter` at the end of each head, and refuses requests.
///
/// evhttp collects a whole body before it shows the request, and has no earlier hook for incoming requests. So the bytes are inspected in a callback of
/// the input buffer, which runs before evhttp reads them. A refused request is drained there, so evhttp never sees the end of it, and the answer is
/// written without evhttp. Then the client has a moment to read the answer.
@Loop
final class HTTPConnection {
    /// The time in which a refused client may read the answer. Its further bytes are dropped.
    static let farewell = Duration.seconds(5)
    /// More than evhttp reads at one time.
    private static let ahead = 64 << 10
    private static let piece = 4 << 10

    private enum State {
        /// The head of a request is arriving.
        case head(HTTPHead.Scanner)
        /// The body is arriving.
        case body(Body)
        /// A request was handed over. Later bytes are inspected when that request is answered.
        case answering
        case refused
        case closed
    }

    private struct Body {
        let head: HTTPHead
        let limit: Int
        /// Bytes after the head that have arrived.
        var count = 0
        /// nil for a body of known length.
        var chunks: ChunkScanner?
    }

    private let buffer: OpaquePointer
    private let transport: any Transport
    private let door: any BodyLimiter
    private let pace: MinimumBodyRate
    private let places: ConnectionRoom
    private let forget: @Loop (HTTPConnection) -> Void
    private var connection: OpaquePointer?
    private var entry: OpaquePointer?
    private var state = State.head(HTTPHead.Scanner())
    private var room: BodyReservation?
    private var place: ConnectionPlace?
    /// Whether this object itself changes the input.
    private var isRewriting = false
    /// The start of the current head or body, and the timer that checks its pace.
    private var began = ContinuousClock.now
    private var watch: LoopTimer?
    private var farewell: LoopTimer?
    /// The exchange that is being answered.
    weak var exchange: HTTPExchange?

    /// - Parameters:
    ///   - buffer: the buffer of the connection, before evhttp has it.
    ///   - places: the room in which the connection needs a place.
    ///   - forget: called when the connection is closed.
    init(
        _ buffer: OpaquePointer, _ transport: any Transport, _ door: any BodyLimiter, _ pace: MinimumBodyRate, _ places: ConnectionRoom,
        forget: @escaping @Loop (HTTPConnection) -> Void
    ) {
        (self.buffer, self.transport, self.door, self.pace, self.places, self.forget) = (buffer, transport, door, pace, places, forget)
        limitInput(to: Self.ahead)
        entry = evbuffer_add_cb(
            bufferevent_get_input(buffer),
            { buffer, info, context in
                guard let info, info.pointee.n_added > 0 else { return }
                Loop.callback(context, HTTPConnection.self) { $0.took(info.pointee.n_added, of: buffer) }
            }, Unmanaged.passUnretained(self).toOpaque())
        // evhttp makes its connection after this call, and may free it before the next turn. Hence the reference.
        bufferevent_incref(buffer)
        Loop.execute { [self] in
            attach()
            bufferevent_decref(buffer)
        }
    }

    /// Asks evhttp to report the end of the connection. The connection is the context of the callbacks that evhttp has set by now.
    private func attach() {
        guard connection == nil, entry != nil else { return }
        var context: UnsafeMutableRawPointer?
        bufferevent_getcb(buffer, nil, nil, nil, &context)
        guard let context else { return closed() }
        connection = OpaquePointer(context)
        evhttp_connection_set_closecb(
            connection, { _, context in Loop.callback(context, HTTPConnection.self) { $0.closed() } }, Unmanaged.passUnretained(self).toOpaque())
        place = places.admit(Self.peer(of: connection))
        if place == nil { refuse(HTTPHead([]), .tooManyConnections) }
    }

    /// Returns the client's address as text; empty if there is none.
    static func peer(of connection: OpaquePointer?) -> String {
        guard let connection else { return "" }
        var (host, port): (UnsafeMutablePointer<CChar>?, UInt16) = (nil, 0)
        evhttp_connection_get_peer(connection, &host, &port)
        return host.map { String(cString: $0) } ?? ""
    }

    /// Handles the last `count` bytes of the input, which have just arrived.
    private func took(_ count: Int, of input: OpaquePointer?) {
        guard !isRewriting else { return }
        attach()
        switch state {
        case .head: scan(count, of: input)
        case .body(let body): grow(body, by: count, of: input)
        case .refused: evbuffer_drain(input, evbuffer_get_length(input))
        case .answering, .closed: break
        }
    }

    /// Limits the input buffer. Bodies have their own limits. Everything else is read only when it is needed: a client that sends on without reading
    /// answers would fill the memory.
    /// - Parameter most: 0 for no limit.
    private func limitInput(to most: Int) { bufferevent_setwatermark(buffer, Int16(EV_READ), 0, most) }

    private func scan(_ count: Int, of input: OpaquePointer?) {
        guard case .head(var scanner) = state else { return }
        // evhttp limits the time between two reads, so single bytes now and then would never exceed its limit.
        if scanner.count == 0, count > 0 { watch(for: pace.first) }
        var left = count
        // The bytes are copied in pieces: much may follow the head, and the rest is inspected when its turn comes.
        while left > 0 {
            let size = min(left, Self.piece)
            let length = scanner.take(Self.copy(size, at: evbuffer_get_length(input) - left, of: input))
            state = .head(scanner)
            if let length {
                let head = scanner.head
                watch = nil
                // The bytes after the head were not inspected.
                if scanner.count > HTTPHead.Scanner.limit { return refuse(head, .tooLong(limit: HTTPHead.Scanner.limit)) }
                if let flaw = head.flaw { return refuse(head, .badHead(flaw)) }
                let (limit, budget) = door.allowance(for: head)
                room = BodyReservation(budget)
                // evhttp needs the whole body in the buffer.
                if head.length != 0 {
                    limitInput(to: 0)
                    watch(for: pace.first)
                }
                return grow(Body(head: head, limit: limit, chunks: head.length == nil ? ChunkScanner() : nil), by: left - length, of: input)
            }
            if scanner.count > HTTPHead.Scanner.longest { return refuse(scanner.head, .tooLong(limit: HTTPHead.Scanner.limit)) }
            left -= size
        }
    }

    private static func copy(_ count: Int, at offset: Int, of input: OpaquePointer?) -> [UInt8] {
        var position = evbuffer_ptr()
        evbuffer_ptr_set(input, &position, offset, EVBUFFER_PTR_SET)
        return [UInt8](unsafeUninitializedCapacity: count) { target, used in
            used = max(0, evbuffer_copyout_from(input, &position, target.baseAddress, count))
        }
    }

    /// Counts bytes of a body.
    /// - Parameter count: the bytes that were not inspected yet, at the end of the input.
    private func grow(_ body: Body, by count: Int, of input: OpaquePointer?) {
        var body = body
        body.count += count
        if let flaw = walk(&body.chunks, count, of: input) { return refuse(body.head, .badBody(flaw)) }
        state = .body(body)
        // Bytes that the client sent ahead, after a body of known length, are no part of the body. But a length that only evhttp has understood is not
        // trusted.
        let length = body.chunks?.announced ?? max(body.head.length ?? 0, body.count - Self.ahead)
        if length > body.limit {
            refuse(body.head, .tooLong(limit: body.limit))
        } else if room?.grow(to: length) == false {
            refuse(body.head, .noRoom)
        }
    }

    /// Follows the framing of a chunked body through the last bytes of the input, and removes the parts that evhttp must not see.
    /// - Returns: the fault, if there is one.
    private func walk(_ chunks: inout ChunkScanner?, _ count: Int, of input: OpaquePointer?) -> String? {
        guard let before = chunks, !before.isComplete, count > 0 else { return nil }
        let start = evbuffer_get_length(input) - count
        let bytes = Self.copy(count, at: start, of: input)
        let kept = chunks?.take(bytes) ?? bytes
        guard chunks?.flaw == nil, kept.count < bytes.count else { return chunks?.flaw }
        isRewriting = true
        defer { isRewriting = false }
        let all = Self.copy(start, at: 0, of: input) + kept
        evbuffer_drain(input, start + count)
        // Only the bufferevent of a socket itself may write to its input. With another transport any code may write, but a frozen input would then
        // block that transport's own writes.
        if evbuffer_add(input, all, all.count) != 0 {
            evbuffer_unfreeze(input, 0)
            evbuffer_add(input, all, all.count)
            evbuffer_freeze(input, 0)
        }
        return nil
    }

    /// Checks regularly from now on, first after `time`, whether the bytes arrive fast enough.
    private func watch(for time: Duration) {
        began = .now
        look(in: time)
    }

    /// A whole body may have arrived by then. A request that was handed over is not watched.
    private func look(in time: Duration) {
        watch = LoopTimer(after: time) { [weak self] in
            guard let self else { return }
            switch state {
            case .head(let scanner): refuse(scanner.head, .tooSlow)
            case .body(let body):
                let left = pace.limit(after: body.count) - (.now - began)
                if left > .zero { look(in: left) } else { refuse(body.head, .tooSlow) }
            case .answering, .refused, .closed: break
            }
        }
    }

    /// Hands the request over, which evhttp has completely. The exchange now owns the room in the budget, until the request is answered.
    func handedOver(to exchange: HTTPExchange) {
        self.exchange = exchange
        exchange.room = room
        (room, watch) = (nil, nil)
        state = .answering
        limitInput(to: Self.ahead)
    }

    /// Notes that the answer is sent. evhttp is about to read the next request, parts of which may have arrived.
    func answered() {
        guard case .answering = state else { return }
        exchange = nil
        state = .head(HTTPHead.Scanner())
        let input = bufferevent_get_input(buffer)
        scan(evbuffer_get_length(input), of: input)
    }

    private func refuse(_ head: HTTPHead, _ reason: BodyRefusal) {
        state = .refused
        (room, watch) = (nil, nil)
        let input = bufferevent_get_input(buffer)
        evbuffer_drain(input, evbuffer_get_length(input))
        let answer = door.refusal(of: head, because: reason)
        // Done in a later turn: evhttp may be on the call stack, and it sets its callbacks again between two requests.
        Loop.execute { [self] in if reason == .tooManyConnections { turnAway(answer) } else { bid(farewell: answer) } }
    }

    /// Ends a connection above the limit at once: a moment to read the answer would keep it open even longer. Most clients see the answer, since they
    /// have sent nothing yet.
    private func turnAway(_ answer: HTTPRefusal) {
        guard case .refused = state, let connection else { return }
        _ = answer.bytes.withUnsafeBytes { transport.send($0, past: bufferevent_getfd(buffer)) }
        evhttp_connection_free(connection)
    }

    private func bid(farewell answer: HTTPRefusal) {
        guard case .refused = state, let connection else { return }
        let context = Unmanaged.passUnretained(self).toOpaque()
        bufferevent_setcb(
            buffer, nil, { _, context in Loop.callback(context, HTTPConnection.self) { $0.finishSending() } },
            { _, _, context in Loop.callback(context, HTTPConnection.self) { $0.end() } }, context)
        limitInput(to: 0)
        farewell = LoopTimer(after: Self.farewell) { evhttp_connection_free(connection) }
        let bytes = answer.bytes
        bufferevent_write(buffer, bytes, bytes.count)
        bufferevent_enable(buffer, Int16(EV_READ | EV_WRITE))
    }

    /// Closes only the sending side. If both were closed, further bytes of the client would make the kernel drop the answer.
    private func finishSending() {
        transport.sayEnd(on: buffer)
        _ = shutdown(bufferevent_getfd(buffer), Int32(SHUT_WR))
    }

    private func end() {
        guard case .refused = state, let connection else { return }
        evhttp_connection_free(connection)
    }

    /// Notes the end of the connection. evhttp closes it now, or has closed it before it could be asked to report that.
    private func closed() {
        if connection != nil { transport.sayEnd(on: buffer) }
        let exchange = exchange
        detach()
        forget(self)
        exchange?.closed()
    }

    /// The number of bytes that have arrived and that nothing has consumed yet.
    var heldInput: Int { evbuffer_get_length(bufferevent_get_input(buffer)) }

    /// Removes all callbacks from the connection. Only evhttp uses it from then on.
    func detach() {
        if case .refused = state, connection != nil { bufferevent_setcb(buffer, nil, nil, nil, nil) }
        state = .closed
        (farewell, room, watch, place) = (nil, nil, nil, nil)
        if let entry { evbuffer_remove_cb_entry(bufferevent_get_input(buffer), entry) }
        entry = nil
        if let connection { evhttp_connection_set_closecb(connection, nil, nil) }
        connection = nil
    }
}
