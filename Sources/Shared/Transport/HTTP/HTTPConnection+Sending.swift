import Glibc

/// The answers of a connection on their way to the kernel. Bytes that it does not take wait until the client has taken those before.
extension HTTPConnection {
    /// Whether the client has to take bytes first.
    var isBlocked: Bool { unsent > 0 }
    /// The bytes that the kernel has not taken.
    var unsent: Int { outgoing.count + wire.pending }
    /// As `unsent`, but of a long body only the current piece.
    var pendingOutput: Int { outgoing.pending + wire.pending }

    func transmit(_ text: StaticString) { transmit(Array(ASCII.bytes(of: text))) }

    /// Sends bytes.
    /// - Parameters:
    ///   - file: the body if it is in a file.
    ///   - after: bytes after the body.
    ///   - held: released when `body` is not needed any more.
    ///   - isFinal: whether the answer is complete with these bytes.
    /// - Returns: whether the kernel has all of them. Otherwise the end of the piece or of the answer is noted later.
    @discardableResult
    func transmit(
        _ bytes: [UInt8], body: ArraySlice<UInt8> = [], file: FilePart? = nil, after: ArraySlice<UInt8> = [], holding held: AnyObject? = nil,
        isFinal: Bool = false
    ) -> Bool {
        guard phase != .closed else { return false }
        let isBehind = isBlocked
        if let file { outgoing.add(bytes, file: file, isBehind: isBehind) } else { outgoing.add(bytes, body: body, after: after, holding: held) }
        self.isFinal = isFinal
        if !isBehind { offer() }
        let count = bytes.count + body.count + (file?.count ?? 0) + after.count
        if isBlocked {
            clock.blocked(count, at: .now)
            look()
            updateInterest()
            if !service.unsent.enter(self) { cut(.full) }
            return false
        }
        clock.passed(count)
        if isFinal { answered() }
        return true
    }

    /// Offers one piece to the kernel. Longer bodies leave other connections their turn between two pieces.
    private func offer() {
        guard !outgoing.isEmpty else { return }
        if outgoing.offer(to: wire) == nil {
            // In a later turn: the caller may be a handler, which learns of the end by `onClosed`.
            Loop.execute { [weak self] in self?.close() }
        } else if outgoing.goesOn {
            Loop.execute { [weak self] in
                guard let self, outgoing.goesOn else { return }
                writable()
            }
        }
    }

    func writable() {
        offer()
        clock.taken(all: !isBlocked, at: .now)
        if !isBlocked {
            if isCounted { service.unsent.leave(self) }
            sent()
        }
        updateInterest()
    }

    /// Notes that the kernel has all bytes of which that was not known when they were handed over.
    private func sent() {
        switch phase {
        case .answering: if isFinal { answered() } else { exchange?.pieces?.end(isTaken: true) }
        case .refused: wire.endSending()
        case .head, .body, .closed: break
        }
    }

    /// The bytes that the process keeps until the client has the answer: a body that answers may share, and those that the wire has taken.
    var kept: (body: Outgoing.Kept?, own: Int) { (outgoing.kept, wire.pending) }

    /// Ends the connection because its client is too slow.
    func cut(_ reason: SlowCut) {
        if isCounted { service.unsent.leave(self) }
        service.unsent.onCut(reason)
        cut()
    }

    /// Ends the connection in the middle of an answer.
    func cut() {
        _ = shutdown(wire.descriptor, Int32(SHUT_RDWR))
        Loop.execute { [weak self] in self?.close() }
    }
}
