import Glibc

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
