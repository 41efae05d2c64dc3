import CEvent
import Glibc
import TintypeCore

/// A connection over the bufferevent of a transport that changes the bytes, such as TLS.
///
/// libevent reports the end of the input before the last bytes are in the bufferevent. So the end is reported in a later turn, after them.
@Loop
final class BufferedWire: Wire {
    /// The limits for bytes that the kernel has not taken, and for bytes that were not read yet.
    private static let most = 256 << 10
    private static let ahead = 64 << 10
    /// The bytes that are handed over at a time, about one record of TLS. OpenSSL reports no progress before it has sent all bytes of one call. A slow
    /// client would seem to take none.
    private static let record = 16 << 10

    var onReadable: (@Loop () -> Void)?
    var onWritable: (@Loop () -> Void)?
    let certificate: CertificateNames?
    private var buffer: OpaquePointer?
    private let transport: any Transport
    private var interest: DescriptorWatch.Interest = []
    private var end: WireRead?
    /// Whether bytes were written after the last call that said that the kernel has all of them.
    private var hasWritten = false
    /// Whether reading is off because too many bytes wait.
    private var isHeldBack = false
    private var isTellDue = false
    /// Whether a call into libevent is on the stack, which may call back at once.
    private var isBusy = false

    /// Takes over a bufferevent after its handshake.
    init(_ buffer: OpaquePointer, _ certificate: CertificateNames?, over transport: any Transport) {
        (self.buffer, self.certificate, self.transport) = (buffer, certificate, transport)
        bufferevent_set_max_single_write(buffer, Self.most)
        bufferevent_setcb(
            buffer,
            { _, context in Loop.callback(context, BufferedWire.self) { $0.readable() } },
            { _, context in Loop.callback(context, BufferedWire.self) { $0.drained() } },
            { _, events, context in Loop.callback(context, BufferedWire.self) { $0.happened(Int32(events)) } },
            Unmanaged.passUnretained(self).toOpaque())
        bufferevent_enable(buffer, Int16(EV_READ | EV_WRITE))
    }

    var descriptor: Int32 { buffer.map { bufferevent_getfd($0) } ?? -1 }
    var pending: Int { buffer.map { evbuffer_get_length(bufferevent_get_output($0)) } ?? 0 }
    private var unread: Int { buffer.map { evbuffer_get_length(bufferevent_get_input($0)) } ?? 0 }

    private func readable() {
        // Not by a watermark: libevent 2.1 then stops in the middle of a record, and reads its remainder only when another record arrives.
        if let buffer, unread >= Self.ahead {
            isHeldBack = true
            bufferevent_disable(buffer, Int16(EV_READ))
        }
        if isBusy { tell() } else if interest.contains(.read) { onReadable?() }
    }

    private func drained() {
        // libevent calls back some time after the kernel has the bytes. A read in between may have found nothing pending, and asked for reading alone.
        let isOwed = hasWritten && pending == 0
        if isOwed { hasWritten = false }
        if isOwed || interest.contains(.write) { onWritable?() }
    }

    private func happened(_ events: Int32) {
        guard events & BEV_EVENT_CONNECTED == 0 else { return }
        // At the end of the input, libevent stops writing, even the bytes that wait.
        if let buffer, events & BEV_EVENT_EOF != 0, pending > 0 { bufferevent_enable(buffer, Int16(EV_WRITE)) }
        end = events & BEV_EVENT_EOF != 0 ? .end : .broken
        tell()
    }

    /// Calls back in a later turn for events that have happened already.
    private func tell() {
        guard !isTellDue, unread > 0 || end != nil else { return }
        isTellDue = true
        Loop.execute { [weak self] in
            guard let self else { return }
            isTellDue = false
            if interest.contains(.read) { onReadable?() } else if interest.contains(.write), end == .broken { onWritable?() }
        }
    }

    func read(into target: UnsafeMutableRawBufferPointer) -> WireRead {
        guard let buffer else { return .broken }
        isBusy = true
        defer { isBusy = false }
        let count = bufferevent_read(buffer, target.baseAddress, target.count)
        guard count > 0 else { return end ?? .nothing }
        if isHeldBack, unread < Self.ahead {
            isHeldBack = false
            if end == nil { bufferevent_enable(buffer, Int16(EV_READ)) }
        }
        tell()
        return .bytes(count)
    }

    func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer) -> Int? {
        guard let buffer, end != .broken else { return nil }
        guard pending < Self.most else { return 0 }
        isBusy = true
        defer { isBusy = false }
        hasWritten = true
        for part in [first, second, third] {
            for start in stride(from: 0, to: part.count, by: Self.record) {
                let piece = UnsafeRawBufferPointer(rebasing: part[start..<min(start + Self.record, part.count)])
                bufferevent_write(buffer, piece.baseAddress, piece.count)
            }
        }
        return first.count + second.count + third.count
    }

    func wants(_ interest: DescriptorWatch.Interest) {
        self.interest = interest
        tell()
    }

    func endSending() {
        guard let buffer else { return }
        transport.sayEnd(on: buffer)
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        guard let buffer else { return }
        self.buffer = nil
        (onReadable, onWritable) = (nil, nil)
        bufferevent_setcb(buffer, nil, nil, nil, nil)
        transport.sayEnd(on: buffer)
        bufferevent_free(buffer)
    }

    isolated deinit { close() }
}
