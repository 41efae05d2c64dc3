import CEvent
import Glibc
import TintypeCore

/// A connected socket without any layer: one system call for a read, one for a write of several parts.
@Loop
final class SocketWire: Wire {
    var onReadable: (@Loop () -> Void)?
    var onWritable: (@Loop () -> Void)?
    private(set) var descriptor: Int32
    private var watch: DescriptorWatch?

    /// Takes over a non-blocking descriptor.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        watch = DescriptorWatch(descriptor, []) { [unowned self] ready in
            // Kept alive by this reference, since a callback may release the wire.
            let wire = self
            if ready.contains(.write) { wire.onWritable?() }
            if ready.contains(.read) { wire.onReadable?() }
        }
    }

    var certificate: CertificateNames? { nil }

    /// The kernel has everything that `write` takes.
    var pending: Int { 0 }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> WireRead {
        // The calls for sockets skip the layer of files.
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        return Self.mustWait ? .nothing : .broken
    }

    func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer) -> Int? {
        if second.isEmpty, third.isEmpty {
            let count = send(descriptor, first.baseAddress, first.count, 0)
            return count >= 0 ? count : Self.mustWait ? 0 : nil
        }
        let count = withUnsafeTemporaryAllocation(of: iovec.self, capacity: 3) { parts in
            var used = 0
            for part in [first, second, third] where !part.isEmpty {
                parts[used] = iovec(iov_base: UnsafeMutableRawPointer(mutating: part.baseAddress), iov_len: part.count)
                used += 1
            }
            return writev(descriptor, parts.baseAddress, Int32(used))
        }
        return count >= 0 ? count : Self.mustWait ? 0 : nil
    }

    /// Whether the last call has failed only because there is nothing to read, or no room to write.
    static var mustWait: Bool { errno == EAGAIN || errno == EINTR }

    func wants(_ interest: DescriptorWatch.Interest) { watch?.update(interest) }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func close() {
        guard descriptor >= 0 else { return }
        (onReadable, onWritable) = (nil, nil)
        watch?.cancel()
        watch = nil
        Glibc.close(descriptor)
        descriptor = -1
    }

    isolated deinit { close() }
}
