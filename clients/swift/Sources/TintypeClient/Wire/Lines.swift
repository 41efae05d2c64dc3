#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Cuts a stream of bytes into lines. A line that comes whole is not copied; one that comes in pieces is put together once.
struct Lines {
    /// The most bytes of a line.
    let most: Int
    private var rest: [UInt8] = []

    init(most: Int) {
        self.most = most
    }

    /// Passes on each line that has ended, without its end. The bytes are good during the call alone.
    ///
    /// - Returns: false when a line is too long.
    mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void) -> Bool {
        var begin = 0
        while begin < bytes.count {
            let tail = UnsafeBufferPointer(rebasing: bytes[begin...])
            guard let end = memchr(tail.baseAddress!, 0x0A, tail.count) else {
                rest.append(contentsOf: tail)
                return rest.count <= most
            }
            let length = UnsafeRawPointer(end) - UnsafeRawPointer(tail.baseAddress!)
            let line = UnsafeBufferPointer(rebasing: tail[..<length])
            if rest.isEmpty {
                body(line)
            } else {
                rest.append(contentsOf: line)
                if rest.count > most { return false }
                rest.withUnsafeBufferPointer(body)
                // A long line gives its memory back.
                rest.removeAll(keepingCapacity: rest.capacity <= 1 << 16)
            }
            begin += length + 1
        }
        return true
    }
}
