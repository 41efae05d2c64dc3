import CEvent
import Glibc

extension HTTPExchange {
    /// The maximum number of bytes of a body that are copied for a client before it has taken the bytes before them.
    package static let piece = 256 << 10

    /// Sends the whole answer. For HEAD, pass the headers and body of GET: the length of the body is sent, the body is not.
    ///
    /// A body longer than a `piece` is not copied as a whole. It is sent piece by piece from its array, even to a slow client. A client that is slower
    /// than `MinimumBodyRate` allows is cut off.
    /// - Parameter held: an object that is released when `body` is no longer needed, because it was sent or the client has gone.
    package func respond(_ status: Int, headers: [(String, String)] = [], body: ArraySlice<UInt8>, holding held: AnyObject? = nil) {
        guard pieces == nil else { return }
        if body.count > Self.piece, method != "HEAD" {
            onClosed = nil
            begin(status, headers: headers, length: body.count)
            return sendRest(body, holding: held)
        }
        guard let request = take() else { return }
        add(headers, to: request)
        let buffer = evbuffer_new()
        defer { evbuffer_free(buffer) }
        if method == "HEAD" {
            // If a status has no body, a length would count as that of GET (RFC 9110 §8.6).
            if Self.hasBody(status), !headers.contains(where: { $0.0.lowercased() == "content-length" }) {
                add([("Content-Length", String(body.count))], to: request)
            }
        } else {
            Self.fill(buffer, body)
        }
        evhttp_send_reply(request, Int32(status), HTTPStatus.reason(status), buffer)
    }

    package func respond(_ status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
        respond(status, headers: headers, body: body[...])
    }

    private func sendRest(_ rest: ArraySlice<UInt8>, holding held: AnyObject?) {
        let piece = rest.prefix(Self.piece)
        if piece.count == rest.count { return end(piece) }
        send(piece) { [weak self] isTaken in
            if isTaken { self?.sendRest(rest.dropFirst(piece.count), holding: held) }
        }
    }

    // MARK: In pieces

    /// Begins an answer whose body is sent in pieces by `send`; `end` completes the answer.
    ///
    /// A body of unknown length is chunked. HTTP/1.0 has no chunks: there the body ends with the connection. If the client goes first or the server is
    /// closed, `onClosed` and the waiting `send` report that. An answer that cannot be completed is ended by `cut`.
    /// - Parameter length: the length of the whole body, if known.
    package func begin(_ status: Int, headers: [(String, String)] = [], length: Int? = nil) {
        guard let request, pieces == nil else { return }
        pieces = AnswerPieces(hasBody: method != "HEAD" && Self.hasBody(status))
        releaseBody()
        add(headers, to: request)
        if let length {
            add([("Content-Length", String(length))], to: request)
        } else if header("Connection")?.lowercased().hasPrefix("keep-alive") == true {
            // evhttp would keep a connection of HTTP/1.0 open and announce an empty body. From 1.1 on the header changes nothing.
            while evhttp_remove_header(evhttp_request_get_input_headers(request), "Connection") == 0 {}
        }
        limitSending(of: request)
        evhttp_send_reply_start(request, Int32(status), HTTPStatus.reason(status))
    }

    /// Sends one piece. Send the next one when this one was taken.
    /// - Parameter taken: called once, with true when the kernel has all of it, or with false when the client has gone first.
    package func send(_ bytes: ArraySlice<UInt8>, _ taken: @escaping @Loop (_ isTaken: Bool) -> Void) {
        guard let request, let pieces else { return taken(false) }
        precondition(!pieces.isSending, "a piece is being sent")
        guard pieces.hasBody, !bytes.isEmpty, let buffer = evbuffer_new() else {
            // In a later turn, as always: otherwise a caller that sends the next piece from the callback would recurse deeper and deeper.
            pieces.begin(0, taken)
            return Loop.execute { pieces.complete() }
        }
        defer { evbuffer_free(buffer) }
        Self.fill(buffer, bytes)
        pieces.begin(bytes.count, taken)
        if pieces.watch == nil { watch(pieces, for: pieces.patience(pace, pending: bytes.count)) }
        evhttp_send_reply_chunk_with_cb(
            request, buffer, { _, context in Loop.callback(context, HTTPExchange.self) { $0.pieces?.complete() } },
            Unmanaged.passUnretained(self).toOpaque())
    }

    /// Sends bytes of the body, a `piece` at a time, and returns when the kernel has them.
    /// - Throws: `HTTPClientGone`, or `CancellationError` when the task is cancelled first. After that, only `cut` is useful.
    package func send(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        repeat {
            let (piece, taken) = (rest.prefix(Self.piece), OneShot<Void>())
            rest = rest.dropFirst(piece.count)
            send(piece) { taken.complete($0 ? .success(()) : .failure(HTTPClientGone())) }
            try await taken.wait()
        } while !rest.isEmpty
    }

    /// Completes an answer that was begun.
    /// - Parameter last: the last bytes of its body.
    package func end(_ last: ArraySlice<UInt8> = []) {
        guard let pieces, let request = take() else { return }
        precondition(!pieces.isSending, "a piece is being sent")
        if !last.isEmpty, let buffer = evbuffer_new() {
            Self.fill(buffer, last)
            evhttp_send_reply_chunk(request, buffer)
            evbuffer_free(buffer)
        }
        evhttp_send_reply_end(request)
    }

    /// Ends the connection in the middle of the answer, so that no client takes it for a complete one. To evhttp this looks like a client that has
    /// gone, so it leaves the request to us.
    package func cut() {
        guard let request, let buffer = Self.buffer(of: request) else { return }
        // Bytes that the client sent ahead would keep the end from being read.
        bufferevent_setwatermark(buffer, Int16(EV_READ), 0, 0)
        _ = shutdown(bufferevent_getfd(buffer), Int32(SHUT_RDWR))
    }

    /// Checks after `time` whether the client has taken enough.
    private func watch(_ pieces: AnswerPieces, for time: Duration) {
        pieces.watch = LoopTimer(after: time) { [weak self, weak pieces] in
            guard let self, let pieces, self.pieces === pieces else { return }
            pieces.watch = nil
            guard pieces.isSending else { return }
            let left = pieces.patience(pace, pending: pendingOutput)
            if left > .zero { watch(pieces, for: left) } else { cut() }
        }
    }

    private static func hasBody(_ status: Int) -> Bool { status != 204 && status != 304 }

    private static func fill(_ buffer: OpaquePointer?, _ bytes: ArraySlice<UInt8>) {
        _ = bytes.withUnsafeBytes { evbuffer_add(buffer, $0.baseAddress, $0.count) }
    }

    private func add(_ headers: [(String, String)], to request: OpaquePointer) {
        let list = evhttp_request_get_output_headers(request)
        for (name, value) in headers { evhttp_add_header(list, name, value) }
    }
}
