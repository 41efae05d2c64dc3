extension HTTPExchange {
    /// The maximum number of bytes of a body that are handed to the kernel at one time.
    package nonisolated static let piece = Outgoing.piece

    /// Sends the whole answer. For HEAD, pass the headers and body of GET: the length of the body is sent, the body is not.
    ///
    /// No byte of the body is copied. It is sent from its array, even to a slow client. A client that is slower than `MinimumBodyRate` allows is cut off.
    /// - Parameters:
    ///   - file: the body if it is in a file. The connection is closed if it changes before its last byte is sent.
    ///   - held: an object that is released when `body` is no longer needed, because it was sent or the client has gone.
    package func respond(_ status: Int, lines: HeaderLines, body: ArraySlice<UInt8>, file: FilePart? = nil, holding held: AnyObject? = nil) {
        guard let connection, pieces == nil, !isAnswered else { return }
        // If a status has no body, a length would count as that of GET (RFC 9110 §8.6).
        let mayHaveBody = AnswerHead.hasBody(status)
        let hasBody = mayHaveBody && method != "HEAD"
        connection.closesAfterwards = lines.closes || !head.keepsConnection
        let answer = AnswerHead(
            status: status, lines: lines, length: mayHaveBody ? .known(file?.count ?? body.count) : .none, isOld: head.isOld,
            closes: connection.closesAfterwards)
        complete()
        connection.transmit(answer.bytes(AnswerDate.line), body: hasBody ? body : [], file: hasBody ? file : nil, holding: hasBody ? held : nil, isFinal: true)
    }

    package func respond(_ status: Int, headers: [(String, String)] = [], body: ArraySlice<UInt8>, holding held: AnyObject? = nil) {
        respond(status, lines: HeaderLines(headers), body: body, holding: held)
    }

    package func respond(_ status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
        respond(status, headers: headers, body: body[...])
    }

    // MARK: In pieces

    /// Begins an answer whose body is sent in pieces by `send`; `end` completes the answer.
    ///
    /// A body of unknown length is chunked. HTTP/1.0 has no chunks: there the body ends with the connection. If the client goes first or the server is
    /// closed, `onClosed` and the waiting `send` report that. An answer that cannot be completed is ended by `cut`.
    /// - Parameter length: the length of the whole body, if known.
    package func begin(_ status: Int, headers: [(String, String)] = [], length: Int? = nil) {
        guard let connection, pieces == nil, !isAnswered else { return }
        let (lines, mayHaveBody) = (HeaderLines(headers), AnswerHead.hasBody(status))
        let hasBody = mayHaveBody && method != "HEAD"
        let isChunked = hasBody && length == nil && !head.isOld
        pieces = AnswerPieces(hasBody: hasBody, isChunked: isChunked)
        releaseBody()
        connection.closesAfterwards = lines.closes || !head.keepsConnection || (length == nil && head.isOld)
        let answer = AnswerHead(
            status: status, lines: lines, length: isChunked ? .chunked : mayHaveBody ? length.map { .known($0) } ?? .none : .none, isOld: head.isOld,
            closes: connection.closesAfterwards)
        connection.transmit(answer.bytes(AnswerDate.line))
    }

    /// Sends one piece. Send the next one when this one was taken.
    /// - Parameter taken: called once, with true when the kernel has all of it, or with false when the client has gone first.
    package func send(_ bytes: ArraySlice<UInt8>, _ taken: @escaping @Loop (_ isTaken: Bool) -> Void) {
        guard let connection, let pieces else { return taken(false) }
        precondition(!pieces.isSending, "a piece is being sent")
        pieces.begin(taken)
        let isSent =
            if !pieces.hasBody || bytes.isEmpty {
                true
            } else if pieces.isChunked {
                connection.transmit(Self.size(bytes.count), body: bytes, after: [13, 10])
            } else {
                connection.transmit([], body: bytes)
            }
        // In a later turn, as always: otherwise a caller that sends the next piece from the callback would recurse deeper and deeper.
        if isSent { Loop.execute { pieces.end(isTaken: true) } }
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
        guard let pieces, let connection else { return }
        precondition(!pieces.isSending, "a piece is being sent")
        complete()
        let body = pieces.hasBody ? last : []
        if !pieces.isChunked {
            connection.transmit([], body: body, isFinal: true)
        } else if body.isEmpty {
            connection.transmit(Array("0\r\n\r\n".utf8), isFinal: true)
        } else {
            connection.transmit(Self.size(body.count), body: body, after: Array("\r\n0\r\n\r\n".utf8)[...], isFinal: true)
        }
    }

    /// Ends the connection in the middle of the answer, so that no client takes it for a complete one.
    package func cut() { connection?.cut() }

    private static func size(_ count: Int) -> [UInt8] { Array("\(String(count, radix: 16))\r\n".utf8) }
}
