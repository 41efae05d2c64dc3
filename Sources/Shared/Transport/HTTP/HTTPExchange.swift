import CEvent
import Glibc
import TintypeCore

/// One HTTP request and the answer to it. Lives on the loop. It must be answered exactly once: by `respond`, or in pieces by `begin`, `send` and `end`.
/// Answering after the client has gone is harmless.
///
/// Until the answer is complete, this object owns evhttp's request. If the client goes first, evhttp takes the request off its connection and leaves it
/// to us. If the server is closed, evhttp frees the request with the connection. After the answer evhttp owns the request. It then only reports that
/// the kernel has taken the last byte, or that the connection was closed first.
@Loop
package final class HTTPExchange {
    /// GET, HEAD, POST, PUT or DELETE.
    package let method: String
    /// The path, percent-decoded.
    package let path: String
    /// The names and values of the query, percent-decoded. The last of equal names wins.
    package let query: [String: String]
    /// The client's address as text, without its port; empty if it has none.
    package let peer: String
    /// The whole request body, until the request is answered or the client has gone.
    package private(set) var body: [UInt8]
    /// The room of the body in the server's budget, as long as the body is there.
    var room: BodyReservation?
    /// Called once when the client's connection closes before the answer is complete.
    package var onClosed: (@Loop () -> Void)?

    /// nil once answered, or when the client has gone or the server was closed.
    var request: OpaquePointer?
    /// Whether evhttp's read callback was removed. evhttp gets it back with the answer.
    private var isWatched = false
    /// The answer in pieces, while it is under way.
    var pieces: AnswerPieces?
    /// A request that is answered but not yet sent to the last byte. evhttp owns it; it is kept only to remove our callbacks.
    private var leaving: OpaquePointer?
    let pace: MinimumBodyRate
    private let ended: @Loop (ObjectIdentifier) -> Void

    init(_ request: OpaquePointer, pace: MinimumBodyRate, ended: @escaping @Loop (ObjectIdentifier) -> Void) {
        (self.request, self.pace) = (request, pace)
        self.ended = ended
        method = Self.name(of: evhttp_request_get_command(request))
        peer = HTTPConnection.peer(of: evhttp_request_get_connection(request))
        let uri = evhttp_request_get_evhttp_uri(request)
        path = Self.decoded(uri.flatMap { evhttp_uri_get_path($0) })
        query = Self.parsed(uri.flatMap { evhttp_uri_get_query($0) })
        let buffer = evhttp_request_get_input_buffer(request)
        let count = evbuffer_get_length(buffer)
        body = [UInt8](unsafeUninitializedCapacity: count) { target, used in
            used = max(0, Int(evbuffer_remove(buffer, target.baseAddress, count)))
        }
    }

    /// Watches for the end of the client's connection while the handler works: evhttp itself stops reading until there is an answer. Bytes that a
    /// client sends ahead wait in the buffer, at most 64 KiB, then in the kernel.
    func watchForClosing() {
        guard !isWatched, let request, let buffer = Self.buffer(of: request) else { return }
        isWatched = true
        var whenWritten: bufferevent_data_cb?
        var whenEnded: bufferevent_event_cb?
        var context: UnsafeMutableRawPointer?
        bufferevent_getcb(buffer, nil, &whenWritten, &whenEnded, &context)
        bufferevent_setcb(buffer, nil, whenWritten, whenEnded, context)
        bufferevent_setwatermark(buffer, Int16(EV_READ), 0, 65536)
        var stuck = timeval(HTTPServer.patience)
        bufferevent_set_timeouts(buffer, nil, &stuck)
        bufferevent_enable(buffer, Int16(EV_READ))
    }

    static func buffer(of request: OpaquePointer) -> OpaquePointer? {
        evhttp_request_get_connection(request).flatMap { evhttp_connection_get_bufferevent($0) }
    }

    /// The socket of the connection; -1 once answered, or when it is closed.
    var descriptor: Int32 { request.flatMap { Self.buffer(of: $0) }.map { bufferevent_getfd($0) } ?? -1 }

    /// Bytes of the answer that were copied and that the kernel has not taken yet.
    package var pendingOutput: Int {
        guard let request, let buffer = Self.buffer(of: request) else { return 0 }
        return evbuffer_get_length(bufferevent_get_output(buffer))
    }

    /// Returns the value of a request header; names are compared without case. nil too once answered or closed.
    package func header(_ name: String) -> String? {
        guard let request, let headers = evhttp_request_get_input_headers(request) else { return nil }
        return evhttp_find_header(headers, name).map { String(cString: $0) }
    }

    /// Returns a list that may be spread over several headers of one name (RFC 9110 §5.3), in their order; nil without any.
    package func list(_ name: String) -> String? {
        guard let request, let headers = evhttp_request_get_input_headers(request) else { return nil }
        var values: [String] = []
        var next = headers.pointee.tqh_first
        while let entry = next {
            if let key = entry.pointee.key, let value = entry.pointee.value, evutil_ascii_strcasecmp(key, name) == 0 {
                values.append(String(cString: value))
            }
            next = entry.pointee.next.tqe_next
        }
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Returns the headers whose names begin with `prefix`, without the prefix, in their order.
    package func headers(after prefix: String) -> [(name: String, value: String)] {
        guard let request, let headers = evhttp_request_get_input_headers(request) else { return [] }
        var found: [(name: String, value: String)] = []
        var next = headers.pointee.tqh_first
        while let entry = next {
            if let key = entry.pointee.key, let value = entry.pointee.value, evutil_ascii_strncasecmp(key, prefix, prefix.utf8.count) == 0 {
                found.append((String(cString: key + prefix.utf8.count), String(cString: value)))
            }
            next = entry.pointee.next.tqe_next
        }
        return found
    }

    /// Ends the exchange because the server is being closed. evhttp frees the request with its connection.
    func abandon() {
        guard let request = request ?? leaving else { return }
        (self.request, leaving) = (nil, nil)
        releaseBody()
        // The connection is freed in a later turn of the loop. Until then it must not ask for the next piece.
        if let buffer = Self.buffer(of: request) {
            bufferevent_disable(buffer, Int16(EV_READ | EV_WRITE))
            bufferevent_setcb(buffer, nil, nil, nil, nil)
        }
        evhttp_request_set_on_complete_cb(request, nil, nil)
        tellClosed()
    }

    /// The producer of an answer in pieces learns of the end twice: from the piece that it waits for, and by `onClosed`.
    private func tellClosed() {
        let (callback, unfinished) = (onClosed, pieces)
        (onClosed, pieces) = (nil, nil)
        unfinished?.clientHasGone()
        callback?()
    }

    /// Hands the request back for its answer, with its connection in the state that evhttp expects.
    func take() -> OpaquePointer? {
        guard let taken = request else { return nil }
        (request, pieces, onClosed) = (nil, nil, nil)
        releaseBody()
        leaving = taken
        evhttp_request_set_on_complete_cb(
            taken, { _, context in Loop.callback(context, HTTPExchange.self) { $0.sent() } }, Unmanaged.passUnretained(self).toOpaque())
        limitSending(of: taken)
        return taken
    }

    /// Limits the time for which a client may take nothing. The client sends nothing meanwhile, as it should. evhttp's own limit for reading would end
    /// an answer that takes longer.
    func limitSending(of request: OpaquePointer) {
        guard let buffer = Self.buffer(of: request) else { return }
        var patience = timeval(HTTPServer.patience)
        bufferevent_set_timeouts(buffer, nil, &patience)
    }

    /// Drops the body of the request, which is not needed once the answer has begun.
    func releaseBody() { (body, room) = ([], nil) }

    /// Notes that the kernel has the whole answer. From now on a limit applies to the arrival of the next request.
    private func sent() {
        if let leaving, let buffer = Self.buffer(of: leaving) {
            var patience = timeval(HTTPServer.patience)
            bufferevent_set_timeouts(buffer, &patience, &patience)
        }
        leaving = nil
        ended(ObjectIdentifier(self))
    }

    /// Notes that the connection ends before the answer was complete or sent.
    func closed() {
        if leaving != nil {
            leaving = nil
            ended(ObjectIdentifier(self))
        } else if let request, evhttp_request_get_connection(request) == nil {
            self.request = nil
            releaseBody()
            evhttp_request_free(request)
            ended(ObjectIdentifier(self))
        }
        tellClosed()
    }

    private static func name(of command: evhttp_cmd_type) -> String {
        switch command {
        case EVHTTP_REQ_HEAD: "HEAD"
        case EVHTTP_REQ_POST: "POST"
        case EVHTTP_REQ_PUT: "PUT"
        case EVHTTP_REQ_DELETE: "DELETE"
        default: "GET"
        }
    }

    private static func decoded(_ path: UnsafePointer<CChar>?) -> String { path.map { PercentText.decoded(String(cString: $0)) } ?? "/" }

    /// Parses the query itself, since evhttp's own parser drops the whole query for one name without a value.
    private static func parsed(_ text: UnsafePointer<CChar>?) -> [String: String] {
        guard let text else { return [:] }
        var values: [String: String] = [:]
        for pair in String(cString: text).split(separator: "&") {
            let words = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = words.count == 2 ? PercentText.decoded(form: words[1].utf8) : ""
            values[PercentText.decoded(form: words[0].utf8)] = value
        }
        return values
    }
}
