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

/// Parts of files go from the page cache to the socket (sendfile(2)). The process does not touch their bytes.
extension SocketWire {
    func write(_ first: UnsafeRawBufferPointer, _ part: FilePart, upTo count: Int) -> Int? {
        if !first.isEmpty {
            // More follows at once: the head goes into the first packet of the body.
            let sent = send(descriptor, first.baseAddress, first.count, Int32(MSG_MORE))
            guard sent >= 0 else { return Self.mustWait ? 0 : nil }
            guard sent == first.count else { return sent }
        }
        var offset = part.offset
        let sent = sendfile(descriptor, part.file.descriptor, &offset, count)
        if sent > 0 { return first.count + sent }
        // At its end a file has become shorter, and the answer cannot be completed.
        return sent < 0 && Self.mustWait ? first.count : nil
    }
}

extension Wire {
    /// For wires that change the bytes, such as those of TLS: reads up to 64 KiB of the file, and writes them.
    package func write(_ first: UnsafeRawBufferPointer, _ part: FilePart, upTo count: Int) -> Int? {
        withUnsafeTemporaryAllocation(byteCount: min(count, 64 << 10), alignment: 16) { buffer in
            let read = pread(part.file.descriptor, buffer.baseAddress, buffer.count, part.offset)
            guard read > 0 else { return nil }
            return write(first, UnsafeRawBufferPointer(rebasing: buffer[..<read]), UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}

/// An open file whose bytes are sent as bodies of answers.
///
/// Its owner has checked it when an answer begins. Other programs may write into it while a client takes the bytes. An answer whose file has changed is
/// not completed, and its connection ends (`Outgoing`).
@Loop
package protocol OutgoingFile: AnyObject, Sendable {
    /// Open for reading as long as the object exists.
    nonisolated var descriptor: Int32 { get }

    /// Whether the bytes are those that its owner has checked.
    var isUnchanged: Bool { get }

    /// Reads bytes.
    /// - Parameter place: from the beginning of the file.
    /// - Returns: nil if the file is shorter, or any of its bytes may have changed.
    func checkedBytes(_ place: Range<Int>) -> [UInt8]?
}

/// A part of an open file, the body of an answer or the rest of it.
package struct FilePart: Sendable {
    package let file: any OutgoingFile
    /// The place of the first byte in the file.
    package private(set) var offset: Int
    package private(set) var count: Int

    package init(_ file: any OutgoingFile, at offset: Int, count: Int) { (self.file, self.offset, self.count) = (file, offset, count) }

    /// Drops bytes from the front.
    mutating func drop(_ taken: Int) {
        offset += taken
        count -= taken
    }
}
