#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import Synchronization

/// Takes what a stream receives, on the thread of the loop.
protocol StreamReader: AnyObject, Sendable {
    /// The bytes are good during the call alone.
    func received(_ bytes: UnsafeBufferPointer<UInt8>)
    /// Hands over the bytes that are to be sent, in place of an empty buffer. Called when the stream was stirred.
    func drain(into bytes: inout [UInt8])
    /// The stream is over. Comes once.
    func ended(_ reason: String)
}

extension StreamReader {
    func drain(into bytes: inout [UInt8]) {}
}

/// An open connection, with TLS or without. Its loop reads it; any thread may send.
package final class Stream: Sendable {
    private struct State {
        var reader: (any StreamReader)?
        var tls: TLSSession?
        /// Whether TLS may have received bytes together with the end of its handshake.
        var hasEarly = false
        /// Bytes for the socket; those before `sent` have left.
        var out: [UInt8] = []
        var sent = 0
        /// Why the stream is closed.
        var end: String?
        var hasEnded = false
    }

    let descriptor: Int32
    private let loop: Loop
    private let state: Mutex<State>

    /// - Parameters:
    ///   - descriptor: A connected socket, which the stream closes.
    ///   - tls: A session whose handshake is done. Only the stream uses it from now on, behind its lock.
    init(descriptor: Int32, tls: TLSSession?, loop: Loop) {
        self.descriptor = descriptor
        self.loop = loop
        state = Mutex(State(tls: tls, hasEarly: tls != nil))
    }

    /// Begins to read.
    func start(_ reader: any StreamReader) {
        state.withLock { $0.reader = reader }
        loop.add(self)
        stir()
    }

    /// Sends bytes. This thread writes as much as the socket takes, and the loop the rest.
    func send(_ bytes: [UInt8]) {
        let wakes = state.withLock { state -> Bool in
            if state.end != nil { return false }
            take(bytes, &state)
            return !state.out.isEmpty || state.end != nil
        }
        if wakes { stir() }
    }

    /// Ends the stream. Bytes that were sent before still leave if the socket takes them.
    func close(_ reason: String) {
        let wakes = state.withLock { state -> Bool in
            if state.end != nil { return false }
            write(&state)
            if state.end == nil { state.end = reason }
            return true
        }
        if wakes { loop.stir(self) }
    }

    /// Lets the loop ask for the bytes that are to be sent.
    func stir() {
        loop.stir(self)
    }

    // MARK: - On the thread of the loop

    var interest: Int16 {
        state.withLock { Int16(POLLIN) | ($0.out.isEmpty ? 0 : Int16(POLLOUT)) }
    }

    /// Writes what is to be sent.
    ///
    /// - Parameter drained: An empty buffer, which is left empty.
    func flush(_ drained: inout [UInt8]) {
        reader?.drain(into: &drained)
        let early = state.withLock { state -> [UInt8] in
            if !drained.isEmpty, state.end == nil { take(drained, &state) }
            drained.removeAll(keepingCapacity: true)
            var early: [UInt8] = []
            if let tls = state.tls, state.hasEarly, state.end == nil {
                tls.decrypt(UnsafeBufferPointer(start: nil, count: 0), into: &early, answers: &state.out)
            }
            state.hasEarly = false
            if state.end == nil { write(&state) }
            return early
        }
        if !early.isEmpty { early.withUnsafeBufferPointer { reader?.received($0) } }
    }

    func ready(_ events: Int16, _ buffer: UnsafeMutableBufferPointer<UInt8>) {
        if events & Int16(POLLOUT) != 0 { state.withLock { if $0.end == nil { write(&$0) } } }
        guard events & ~Int16(POLLOUT) != 0 else { return }
        // Others have their turn after a few pieces.
        for _ in 0..<4 {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, Platform.dontWait)
            if count > 0 {
                take(UnsafeBufferPointer(rebasing: buffer[..<count]))
                if count < buffer.count { return }
            } else if count == 0 {
                return fail("the coordinator closed the connection")
            } else if errno != EINTR {
                let number = errno
                return number == EAGAIN || number == EWOULDBLOCK ? () : fail("the connection broke: \(Platform.text(number))")
            }
        }
    }

    /// Closes the socket after the end, and says so to the reader. Returns whether it did.
    func endIfClosed() -> Bool {
        let end = state.withLock { state -> (String, (any StreamReader)?)? in
            guard let end = state.end, !state.hasEnded else { return nil }
            state.hasEnded = true
            defer { (state.reader, state.tls, state.out) = (nil, nil, []) }
            return (end, state.reader)
        }
        guard let (reason, reader) = end else { return false }
        Platform.close(descriptor)
        reader?.ended(reason)
        return true
    }

    private var reader: (any StreamReader)? {
        state.withLock { $0.reader }
    }

    private func take(_ bytes: UnsafeBufferPointer<UInt8>) {
        let (reader, plain) = state.withLock { state -> ((any StreamReader)?, [UInt8]?) in
            guard let tls = state.tls else { return (state.reader, nil) }
            var plain: [UInt8] = []
            if let fault = tls.decrypt(bytes, into: &plain, answers: &state.out), state.end == nil { state.end = fault }
            if !state.out.isEmpty, state.end == nil { write(&state) }
            return (state.reader, plain)
        }
        if let plain { plain.withUnsafeBufferPointer { reader?.received($0) } } else { reader?.received(bytes) }
    }

    private func take(_ bytes: [UInt8], _ state: inout State) {
        if let tls = state.tls {
            let fault = tls.encrypt(bytes, into: &state.out)
            write(&state)
            state.end = state.end ?? fault
            return
        }
        if !state.out.isEmpty { return state.out.append(contentsOf: bytes) }
        // Most messages leave at once, without a copy. A failure shows when the rest is written.
        let count = bytes.withUnsafeBytes { Platform.send(descriptor, $0.baseAddress!, $0.count) }
        if count < bytes.count { state.out.append(contentsOf: bytes[max(0, count)...]) }
    }

    private func fail(_ reason: String) {
        state.withLock { if $0.end == nil { $0.end = reason } }
    }

    /// Writes as much as the socket takes.
    private func write(_ state: inout State) {
        while state.sent < state.out.count {
            let count = state.out.withUnsafeBytes { bytes in
                Platform.send(descriptor, bytes.baseAddress! + state.sent, bytes.count - state.sent)
            }
            if count >= 0 {
                state.sent += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                return
            } else if errno != EINTR {
                state.end = "the connection broke: \(Platform.text(errno))"
                return
            }
        }
        state.sent = 0
        // A long message gives its memory back.
        state.out.removeAll(keepingCapacity: state.out.capacity <= 1 << 20)
    }
}
