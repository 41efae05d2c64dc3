import CZlib

/// Unpacks a zlib stream piece by piece, as far as it is there. The state is never moved, because zlib remembers its address.
final class Inflation {
    /// The unpacked bytes.
    private(set) var bytes: [UInt8] = []
    /// The most bytes to unpack.
    var room = 0
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let isReady: Bool

    init() {
        stream.initialize(to: z_stream())
        isReady = inflateInit_(stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    }

    deinit {
        if isReady { inflateEnd(stream) }
        stream.deallocate()
    }

    /// - Returns: false if nothing more can be unpacked: the stream has ended or is broken, or there is no room.
    func take(_ part: UnsafeRawBufferPointer) -> Bool {
        guard isReady, room > bytes.count, let start = part.baseAddress, part.count > 0 else { return room > bytes.count }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(clamping: part.count)
        while stream.pointee.avail_in > 0, bytes.count < room {
            let most = min(room - bytes.count, 1 << 16)
            var status = Z_OK
            bytes += [UInt8](unsafeUninitializedCapacity: most) { buffer, filled in
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(most)
                status = inflate(stream, Z_NO_FLUSH)
                filled = most - Int(stream.pointee.avail_out)
            }
            guard status == Z_OK else { return false }
        }
        return bytes.count < room
    }
}
