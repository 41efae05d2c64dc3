import CEvent
import CLinux
import Glibc
package import TintypeCore

package enum StreamEnd: Sendable, Hashable {
    /// The peer sends no more. Written bytes still reach it until the stream is closed.
    case eof
    /// The connection broke, and the stream is closed.
    case failed(String)
}

/// A connected byte stream on libevent's bufferevent. Lives on the loop. Its owner sets the callbacks and keeps the reference.
///
/// Back-pressure: `pauseReading` makes the kernel wait, and so the peer. `pendingOutput` and `onDrained` tell a writer when to wait.
///
/// One `send` at the end of a turn of the loop sends all bytes that the turn has written. By itself, libevent would first ask epoll whether the socket
/// is writable. That costs four more system calls per message, each of which delays an image. libevent sends the bytes that the kernel does not take.
/// It sends all bytes if the transport changes them: then one turn makes one record.
@Loop
package final class ByteStream {
    /// Called with bytes just read. They are valid during the call, which consumes them.
    package var onBytes: (@Loop (UnsafeRawBufferPointer) -> Void)?
    /// Called with the end, exactly once, unless the owner closed the stream first.
    package var onEnd: (@Loop (StreamEnd) -> Void)?
    /// Called when the output has fallen to 64 KiB or less.
    package var onDrained: (@Loop () -> Void)?
    /// The address of the peer, for logs.
    package let peer: String
    /// The names in the peer's certificate, once it is verified. nil without TLS, or without a certificate.
    package let certificate: CertificateNames?

    private let transport: any Transport
    private var buffer: OpaquePointer?
    /// Bytes written in this turn of the loop.
    private var outgoing: [UInt8] = []
    private var isFlushDue = false
    private var connecting: OneShot<Void>?
    private var hasEnded = false
    private var isClosing = false
    private var isPaused = false
    private var farewell: LoopTimer?
    private var onClosed: (@Loop () -> Void)?
    /// The place among the connections of its listener, until the stream is closed.
    var permit: ConnectionPermit?

    /// Takes over an accepted connection.
    init(_ accepted: AcceptedSocket, peer: String, over transport: any Transport) {
        (self.peer, self.transport) = (peer, transport)
        switch accepted {
        case .plain(let descriptor):
            certificate = nil
            open(transport.makeBuffer(descriptor, to: nil))
        case .secured(let buffer, let names):
            certificate = names
            open(buffer)
        }
        setOptions()
    }

    private init(to address: SocketAddress, over transport: any Transport) {
        (peer, certificate, self.transport) = ("\(address)", nil, transport)
        open(transport.makeBuffer(-1, to: address))
    }

    private func open(_ made: OpaquePointer?) {
        guard let made else { return }
        buffer = made
        bufferevent_set_max_single_read(made, 65536)
        bufferevent_set_max_single_write(made, 262144)
        bufferevent_setwatermark(made, Int16(EV_WRITE), 65536, 0)
        bufferevent_setcb(
            made,
            { _, context in Loop.callback(context, ByteStream.self) { $0.readable() } },
            { _, context in Loop.callback(context, ByteStream.self) { $0.drained() } },
            { _, events, context in Loop.callback(context, ByteStream.self) { $0.happened(events) } },
            Unmanaged.passUnretained(self).toOpaque())
        bufferevent_enable(made, Int16(EV_READ | EV_WRITE))
    }

    /// Connects, trying each address of a host name in turn.
    ///
    /// The time includes the look-up of the name. An address that hangs leaves the later ones their part of the time.
    /// - Parameter transport: the carrier of the bytes. Its handshake is part of the time.
    /// - Throws: `NetError` when no address answers within `timeout`, and when the task is cancelled.
    package static func connect(
        _ address: SocketAddress, over transport: any Transport = PlainTransport(), timeout: Duration
    ) async throws(NetError) -> ByteStream {
        let limit = ContinuousClock.now + timeout
        var failure = NetError.timedOut(address)
        let candidates = try await candidates(address, within: timeout)
        for (index, candidate) in candidates.enumerated() {
            let left = limit - ContinuousClock.now
            guard left > .zero else { throw .timedOut(address) }
            guard !Task.isCancelled else { throw .connect(address, "cancelled") }
            let stream = ByteStream(to: address, over: transport)
            do {
                try await stream.connect(candidate, within: left / (candidates.count - index))
                stream.setOptions()
                return stream
            } catch is Late {
                stream.close()
                failure = .timedOut(address)
            } catch {
                stream.close()
                failure = .connect(address, "\(error)")
            }
        }
        throw failure
    }

    private struct Late: Error {}
    private struct Refused: Error, CustomStringConvertible { let description: String }
    private static let resolver = BlockingPool(threads: 2, name: "resolver")
    private static let lookups = TaskScope()

    private static func candidates(_ address: SocketAddress, within time: Duration) async throws(NetError) -> [SocketStorage] {
        if let known = address.storage() { return [known] }
        guard case .tcp(let host, let port) = address else { return [] }
        let found = OneShot<[SocketStorage]>()
        lookups.run("look up \(host)") {
            do {
                found.complete(.success(try await resolver.run { try SocketStorage.resolve(host, port) }))
            } catch {
                found.complete(.failure(error))
            }
        }
        do {
            return try await found.wait(within: time, orElse: .failure(NetError.timedOut(address)))
        } catch let error as NetError {
            throw error
        } catch {
            throw .resolve(host, "\(error)")
        }
    }

    private func connect(_ storage: SocketStorage, within: Duration) async throws {
        guard let buffer else { throw Refused(description: "there is no memory, or the host name is too long to be checked") }
        let done = OneShot<Void>()
        connecting = done
        let result = storage.withPointer { pointer, length in bufferevent_socket_connect(buffer, pointer, Int32(length)) }
        if result != 0 { done.complete(.failure(Refused(description: String(cString: strerror(errno))))) }
        defer { connecting = nil }
        try await done.wait(within: within, orElse: .failure(Late()))
    }

    private func setOptions() {
        guard let buffer else { return }
        TCPOption.promptSending.set(on: bufferevent_getfd(buffer))
        KeepAlive.set(on: bufferevent_getfd(buffer))
    }

    private func readable() {
        while let buffer, let onBytes, !isPaused {
            let input = bufferevent_get_input(buffer)
            let count = evbuffer_get_contiguous_space(input)
            guard count > 0, let bytes = evbuffer_pullup(input, count) else { return }
            onBytes(UnsafeRawBufferPointer(start: bytes, count: count))
            // The callee may have closed the stream, which frees the buffer.
            guard self.buffer != nil else { return }
            evbuffer_drain(input, count)
        }
    }

    private func drained() {
        if isClosing {
            if pendingOutput == 0 { close() }
        } else {
            onDrained?()
        }
    }

    private func happened(_ events: Int16) {
        let (events, code) = (Int32(events), errno)
        if events & BEV_EVENT_CONNECTED != 0 {
            connecting?.complete(.success(()))
            return
        }
        guard let buffer else { return }
        let isEOF = events & BEV_EVENT_EOF != 0
        let reason = isEOF ? "the other side closed the connection" : transport.failure(of: buffer, code: code)
        if let connecting {
            connecting.complete(.failure(Refused(description: reason)))
            return
        }
        guard isEOF else { return ended(.failed(reason)) }
        // Under TLS, libevent reports the end before the last bytes are in the input, and stops writing the bytes that wait.
        if evbuffer_get_length(bufferevent_get_output(buffer)) > 0 { bufferevent_enable(buffer, Int16(EV_WRITE)) }
        Loop.execute { [weak self] in self?.ended(.eof) }
    }

    private func ended(_ end: StreamEnd) {
        if !isClosing {
            isPaused = false
            readable()
        }
        guard buffer != nil else { return }
        let ended = hasEnded ? nil : onEnd
        hasEnded = true
        onEnd = nil
        if end != .eof { close() }
        ended?(end)
    }

    /// Queues bytes for the peer; never blocks. After `close` they are dropped.
    package func write(_ bytes: UnsafeRawBufferPointer) {
        guard let buffer, !isClosing, bytes.count > 0 else { return }
        let isBehind = connecting != nil || evbuffer_get_length(bufferevent_get_output(buffer)) > 0
        if isBehind || bytes.count > Self.maxSend {
            leaveToLibevent()
            bufferevent_write(buffer, bytes.baseAddress, bytes.count)
            return
        }
        outgoing.append(contentsOf: bytes)
        guard !isFlushDue else { return }
        isFlushDue = true
        Loop.execute { [weak self] in self?.flush() }
    }

    private static let maxSend = 65536

    /// Sends the bytes that this turn has written.
    private func flush() {
        isFlushDue = false
        guard let buffer, !outgoing.isEmpty else { return }
        let sent = outgoing.withUnsafeBytes { transport.send($0, past: bufferevent_getfd(buffer)) }
        guard sent == outgoing.count else {
            // libevent sends the other bytes. It also meets any error again, and reports it where a reader expects it.
            outgoing.removeFirst(max(0, sent))
            return leaveToLibevent()
        }
        outgoing.removeAll(keepingCapacity: sent <= Self.maxSend)
        drained()
    }

    private func leaveToLibevent() {
        guard let buffer, !outgoing.isEmpty else { return }
        bufferevent_write(buffer, outgoing, outgoing.count)
        outgoing.removeAll(keepingCapacity: outgoing.count <= Self.maxSend)
    }

    package func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }

    /// Bytes written that the kernel has not taken yet.
    package var pendingOutput: Int { buffer.map { evbuffer_get_length(bufferevent_get_output($0)) + outgoing.count } ?? 0 }

    /// As `pendingOutput`, plus the bytes that the kernel has taken and the peer has not received. A kernel buffers megabytes for a slow reader.
    package var unreceivedOutput: Int { buffer == nil ? 0 : pendingOutput + Int(tintype_unreceived(descriptor)) }

    package var isClosed: Bool { buffer == nil }

    /// The socket; -1 once closed.
    var descriptor: Int32 { buffer.map { bufferevent_getfd($0) } ?? -1 }

    /// Stops reading. The peer's bytes wait in the kernel, then at the peer.
    package func pauseReading() {
        guard let buffer else { return }
        isPaused = true
        bufferevent_disable(buffer, Int16(EV_READ))
    }

    /// Continues reading. Bytes that were read before the pause and not handed over yet come first, in a later turn of the loop.
    package func resumeReading() {
        guard let buffer, isPaused, !isClosing else { return }
        isPaused = false
        bufferevent_enable(buffer, Int16(EV_READ))
        if evbuffer_get_length(bufferevent_get_input(buffer)) > 0 {
            bufferevent_trigger(buffer, Int16(EV_READ), Int32(BEV_OPT_DEFER_CALLBACKS.rawValue))
        }
    }

    /// Closes at once. Queued output is lost, and no callback is called any more.
    package func close() {
        guard let buffer else { return }
        self.buffer = nil
        outgoing = []
        farewell = nil
        permit = nil
        onBytes = nil
        onDrained = nil
        onEnd = nil
        bufferevent_setcb(buffer, nil, nil, nil, nil)
        transport.sayEnd(on: buffer)
        bufferevent_free(buffer)
        let closed = onClosed
        onClosed = nil
        closed?()
    }

    /// Sends the queued bytes, stops reading, then closes. A peer that does not take them within 10 s is cut off.
    ///
    /// No other callback is called any more. The stream keeps itself alive until then, so its owner may release it.
    /// - Parameter closed: called when the stream is closed, perhaps before this call returns.
    package func closeAfterFlush(_ closed: (@Loop () -> Void)? = nil) {
        guard buffer != nil else { return closed?() ?? () }
        guard !isClosing else { return }
        onClosed = closed
        pauseReading()
        isClosing = true
        if pendingOutput == 0 { return close() }
        onBytes = nil
        onEnd = nil
        onDrained = nil
        farewell = LoopTimer(after: .seconds(10)) { self.close() }
    }

    isolated deinit { close() }
}
