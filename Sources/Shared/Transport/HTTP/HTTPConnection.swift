import CEvent
import Glibc

/// One connection of an HTTP server, beside evhttp: counts what comes in, asks the `BodyDoor` at the end of each head, and refuses.
///
/// evhttp collects a whole body before it shows the request, and has no hook before that for incoming ones. So the bytes are looked
/// at where they come in, in a callback of the input buffer, which runs before evhttp's own reading. What is refused is drained there:
/// evhttp waits for a request that goes on no more, while the answer is written past it. Then the client is given a moment to read it.
@Loop
final class HTTPConnection {
    /// How long a client that was refused is given to read why. What it goes on sending is dropped.
    static let farewell = Duration.seconds(5)
    /// More than evhttp reads at one time.
    private static let ahead = 64 << 10
    private static let piece = 4 << 10

    private enum State {
        /// The head of a request is coming.
        case head(HTTPHead.Scanner)
        /// Its body is.
        case body(Body)
        /// A request has been handed over; what comes now is looked at when that is answered.
        case answering
        case refused
        case closed
    }

    private struct Body {
        let head: HTTPHead
        let limit: Int
        /// Bytes after the head that are there.
        var count = 0
        /// nil for a body of known length.
        var chunks: ChunkScanner?
    }

    private let buffer: OpaquePointer
    private let transport: any Transport
    private let door: any BodyDoor
    private let pace: BodyPace
    private let places: ConnectionRoom
    private let forget: @Loop (HTTPConnection) -> Void
    private var connection: OpaquePointer?
    private var entry: OpaquePointer?
    private var state = State.head(HTTPHead.Scanner())
    private var room: BodyRoom?
    private var place: ConnectionPlace?
    /// Whether what is done to the input is our own doing.
    private var isRewriting = false
    /// When the head or the body that is coming began, and what looks whether it comes fast enough.
    private var began = ContinuousClock.now
    private var watch: LoopTimer?
    private var farewell: LoopTimer?
    /// Whose answer is under way.
    weak var exchange: HTTPExchange?

    /// - Parameters:
    ///   - buffer: the connection's, before evhttp has it.
    ///   - places: where a place is needed for it.
    ///   - forget: called when it is closed.
    init(
        _ buffer: OpaquePointer, _ transport: any Transport, _ door: any BodyDoor, _ pace: BodyPace, _ places: ConnectionRoom,
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
        // evhttp makes its connection after this. It may have freed it before the next turn: hence the reference.
        bufferevent_incref(buffer)
        Loop.execute { [self] in
            attach()
            bufferevent_decref(buffer)
        }
    }

    /// Asks evhttp to say when the connection closes; it is the context of the callbacks that evhttp has set by now.
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

    /// The client's address as text; empty where it has none.
    static func peer(of connection: OpaquePointer?) -> String {
        guard let connection else { return "" }
        var (host, port): (UnsafeMutablePointer<CChar>?, UInt16) = (nil, 0)
        evhttp_connection_get_peer(connection, &host, &port)
        return host.map { String(cString: $0) } ?? ""
    }

    /// The last `count` bytes of the input have just come.
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

    /// But for bodies, of which each has its limit, little is taken in before it is wanted: who sends on and reads no answer would fill the memory.
    /// - Parameter most: 0 for no limit.
    private func limitInput(to most: Int) { bufferevent_setwatermark(buffer, Int16(EV_READ), 0, most) }

    private func scan(_ count: Int, of input: OpaquePointer?) {
        guard case .head(var scanner) = state else { return }
        // evhttp's own limit is for the time between two reads: a byte now and then would keep it from ever passing.
        if scanner.count == 0, count > 0 { watch(for: pace.first) }
        var left = count
        // In pieces: what is behind the head may be much, and is looked at when its turn comes.
        while left > 0 {
            let size = min(left, Self.piece)
            let length = scanner.take(Self.copy(size, at: evbuffer_get_length(input) - left, of: input))
            state = .head(scanner)
            if let length {
                let head = scanner.head
                watch = nil
                // What stands behind was not looked at.
                if scanner.count > HTTPHead.Scanner.limit { return refuse(head, .tooLong(limit: HTTPHead.Scanner.limit)) }
                if let flaw = head.flaw { return refuse(head, .badHead(flaw)) }
                let (limit, budget) = door.allowance(for: head)
                room = BodyRoom(budget)
                // evhttp wants all of a body in the buffer.
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

    /// - Parameter count: bytes after what was looked at, the last ones of the input.
    private func grow(_ body: Body, by count: Int, of input: OpaquePointer?) {
        var body = body
        body.count += count
        if let flaw = walk(&body.chunks, count, of: input) { return refuse(body.head, .badBody(flaw)) }
        state = .body(body)
        // What was sent ahead, after a body of known length, is no part of it. But a length that only evhttp has understood is not believed.
        let length = body.chunks?.announced ?? max(body.head.length ?? 0, body.count - Self.ahead)
        if length > body.limit {
            refuse(body.head, .tooLong(limit: body.limit))
        } else if room?.grow(to: length) == false {
            refuse(body.head, .noRoom)
        }
    }

    /// Follows the framing of a body in chunks through the last bytes of the input, and takes out what evhttp is not to see.
    /// - Returns: what is wrong with it.
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
        // The bufferevent of a socket lets nobody but itself write to its input; that of another transport may let anybody, and then itself no
        // more if it were frozen.
        if evbuffer_add(input, all, all.count) != 0 {
            evbuffer_unfreeze(input, 0)
            evbuffer_add(input, all, all.count)
            evbuffer_freeze(input, 0)
        }
        return nil
    }

    /// Begins to look, after a while and then again, whether what is coming comes fast enough.
    private func watch(for time: Duration) {
        began = .now
        look(in: time)
    }

    /// All of a body may have come by then: what is handed over is not watched.
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

    /// evhttp has a whole request: what it has taken of the budget is the exchange's now, until that is answered.
    func handedOver(to exchange: HTTPExchange) {
        self.exchange = exchange
        exchange.room = room
        (room, watch) = (nil, nil)
        state = .answering
        limitInput(to: Self.ahead)
    }

    /// The answer is sent; evhttp is about to read the next request, of which something may be there.
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
        // In a later turn: evhttp's frames may be below, and it sets its callbacks anew between two requests.
        Loop.execute { [self] in if reason == .tooManyConnections { turnAway(answer) } else { bid(farewell: answer) } }
    }

    /// Ends a connection that is one too many at once: a moment to read the answer would be one more that it is open. Most clients see the answer,
    /// because they have sent nothing yet.
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

    /// Half closed: with all of it closed what the client still sends would have the kernel throw the answer away.
    private func finishSending() {
        transport.sayEnd(on: buffer)
        _ = shutdown(bufferevent_getfd(buffer), Int32(SHUT_WR))
    }

    private func end() {
        guard case .refused = state, let connection else { return }
        evhttp_connection_free(connection)
    }

    /// evhttp closes the connection, or has before it could be asked to say so.
    private func closed() {
        if connection != nil { transport.sayEnd(on: buffer) }
        let exchange = exchange
        detach()
        forget(self)
        exchange?.closed()
    }

    /// How many bytes have come that nobody has taken yet.
    var heldInput: Int { evbuffer_get_length(bufferevent_get_input(buffer)) }

    /// Takes everything off the connection. It is evhttp's alone then.
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
