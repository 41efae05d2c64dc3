import CEvent
import Glibc
import TintypeCore

/// One HTTP request and the answer to it. Lives on the loop; must be answered exactly once, by `respond`, or in pieces by `begin`, `send` and
/// `end`. Answering after the client has gone is harmless.
///
/// Who owns evhttp's request: we do, until the answer is complete. When the client goes first, evhttp takes the request off its
/// connection and leaves it to us; when the server is closed, evhttp frees it with the connection. Once answered it is evhttp's, and we only
/// hear when the kernel has taken the last byte, or when the connection went first.
@Loop
package final class HTTPExchange {
    /// GET, HEAD, POST, PUT or DELETE.
    package let method: String
    /// The path, percent-decoded.
    package let path: String
    /// The query's names and values, percent-decoded; the last of equal names wins.
    package let query: [String: String]
    /// The client's address as text, without its port; empty where it has none.
    package let peer: String
    /// The whole request body, until it is answered or the client has gone.
    package private(set) var body: [UInt8]
    /// What the body takes of the server's budget, as long as it is there.
    var room: BodyRoom?
    /// Called once when the client's connection closes before the answer is complete.
    package var onClosed: (@Loop () -> Void)?

    /// nil once answered, or when the client has gone or the server was closed.
    var request: OpaquePointer?
    /// What evhttp had set to be called when bytes come; it gets it back with the answer.
    private var isWatched = false
    /// The answer in pieces, from its beginning to its end.
    var pieces: AnswerPieces?
    /// Answered, but not yet sent to the last byte. evhttp's; only to take our callbacks off it.
    private var leaving: OpaquePointer?
    let pace: BodyPace
    private let ended: @Loop (ObjectIdentifier) -> Void

    init(_ request: OpaquePointer, pace: BodyPace, ended: @escaping @Loop (ObjectIdentifier) -> Void) {
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

    /// Looks out for the client's going away while the handler takes its time: evhttp itself stops reading until there is an answer.
    /// What a client sends ahead waits in the buffer, 64 KiB of it, then in the kernel.
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

    /// The connection's socket; -1 once answered, or when it has gone.
    var descriptor: Int32 { request.flatMap { Self.buffer(of: $0) }.map { bufferevent_getfd($0) } ?? -1 }

    /// Bytes of the answer that were copied and the kernel has not taken yet.
    package var pendingOutput: Int {
        guard let request, let buffer = Self.buffer(of: request) else { return 0 }
        return evbuffer_get_length(bufferevent_get_output(buffer))
    }

    /// The value of a request header; names are compared without case. nil too once answered or closed.
    package func header(_ name: String) -> String? {
        guard let request, let headers = evhttp_request_get_input_headers(request) else { return nil }
        return evhttp_find_header(headers, name).map { String(cString: $0) }
    }

    /// A list that may be spread over several headers of one name (RFC 9110 §5.3), in their order. nil without any.
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

    /// The headers whose names begin so, without that beginning, in their order.
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

    /// The server is being closed: evhttp frees the request with its connection.
    func abandon() {
        guard let request = request ?? leaving else { return }
        (self.request, leaving) = (nil, nil)
        releaseBody()
        // Its connection is freed in a later turn of the loop: till then it must not ask for the next piece.
        if let buffer = Self.buffer(of: request) {
            bufferevent_disable(buffer, Int16(EV_READ | EV_WRITE))
            bufferevent_setcb(buffer, nil, nil, nil, nil)
        }
        evhttp_request_set_on_complete_cb(request, nil, nil)
        tellClosed()
    }

    /// Whoever makes an answer in pieces hears of it twice: from the piece that it waits for, and by `onClosed`.
    private func tellClosed() {
        let (callback, unfinished) = (onClosed, pieces)
        (onClosed, pieces) = (nil, nil)
        unfinished?.clientHasGone()
        callback?()
    }

    /// Gives the request up to be answered, its connection as evhttp expects it.
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

    /// A client that takes nothing for so long has gone. That it sends nothing meanwhile is as it should be: evhttp would have its own limit
    /// for reading end an answer that takes longer.
    func limitSending(of request: OpaquePointer) {
        guard let buffer = Self.buffer(of: request) else { return }
        var patience = timeval(HTTPServer.patience)
        bufferevent_set_timeouts(buffer, nil, &patience)
    }

    /// The request's, of which nothing is needed once the answer has begun.
    func releaseBody() { (body, room) = ([], nil) }

    /// The kernel has the whole answer. The next request has a limit for coming again.
    private func sent() {
        if let leaving, let buffer = Self.buffer(of: leaving) {
            var patience = timeval(HTTPServer.patience)
            bufferevent_set_timeouts(buffer, &patience, &patience)
        }
        leaving = nil
        ended(ObjectIdentifier(self))
    }

    /// The connection is going away, before the answer was complete or sent.
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

    /// Read here because evhttp's own parser drops the whole query for one name without a value.
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
