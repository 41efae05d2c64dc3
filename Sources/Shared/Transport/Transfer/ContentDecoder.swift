import CZlib

/// Unpacks a body that comes compressed, a piece at a time, and knows whether all of it has come: a stream says where it ends, and curl, which
/// could unpack as well, does not mind when that is missing. Used where curl calls, on the loop.
final class ContentDecoder {
    /// What is asked for. Others curl knows too, but not whether they have come to their end.
    static let offered = "gzip, deflate"

    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 1)
    private let isGzip: Bool
    private var isReady = false
    /// How much of `output` was unpacked and not taken yet.
    private var held = 0
    /// How many of the bytes that are offered next were read before.
    private var ahead = 0
    /// Whether zlib may hold more than had room.
    private var isFull = false
    private var hasBegun = false
    private var isOver = false
    private(set) var isBroken = false
    /// How many compressed bytes were read.
    private(set) var consumed: Int64 = 0
    /// How many of them since something was unpacked.
    private var barren: Int64 = 0
    /// Whether the body goes on without bringing anything, such as empty members without end: nothing that is unpacked would ever be too long.
    var isBarren: Bool { barren > Self.mostBarren }

    /// More compressed bytes than this bring something: the header of a member may have 64 KiB, a table of codes less than one.
    static let mostBarren: Int64 = 256 << 10

    /// - Returns: nil for an encoding that was not asked for.
    init?(_ encoding: String) {
        guard ["gzip", "x-gzip", "deflate"].contains(encoding) else {
            return nil
        }
        isGzip = encoding != "deflate"
        stream.initialize(to: z_stream())
    }

    deinit {
        if isReady { inflateEnd(stream) }
        stream.deallocate()
        output.deallocate()
    }

    /// Whether the body ended where its stream does. One without a byte is none that broke off.
    var isWhole: Bool { !hasBegun || isOver }

    /// Unpacks and hands on.
    /// - Parameter deliver: says as curl's callbacks do how many it has taken; what it does not take now it is offered again, as curl
    ///   offers these bytes again.
    /// - Returns: the same of the bytes that came; 0 also when they are not what they should be.
    func take(_ part: UnsafeRawBufferPointer, _ deliver: (UnsafeRawBufferPointer) -> Int) -> Int {
        guard let start = part.baseAddress, !part.isEmpty, let out = output.baseAddress, begin(part[0]) else { return 0 }
        let before = ahead
        var position = min(ahead, part.count)
        while true {
            if held > 0 {
                let taken = deliver(UnsafeRawBufferPointer(rebasing: output[..<held]))
                guard taken == held else {
                    ahead = max(before, position)
                    return taken
                }
                held = 0
            }
            guard position < part.count || isFull, goesOn(part, position) else { break }
            stream.pointee.next_in = UnsafeMutablePointer(mutating: (start + position).assumingMemoryBound(to: UInt8.self))
            stream.pointee.avail_in = UInt32(part.count - position)
            stream.pointee.next_out = out.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(output.count)
            let status = inflate(stream, Z_NO_FLUSH)
            let read = Int64(part.count - Int(stream.pointee.avail_in) - position)
            position += Int(read)
            consumed += read
            held = output.count - Int(stream.pointee.avail_out)
            barren = held > 0 ? 0 : barren + read
            guard !isBarren else { return 0 }
            isFull = stream.pointee.avail_out == 0 && status == Z_OK
            isOver = status == Z_STREAM_END
            // That there was nothing more to unpack is no fault.
            guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status) else {
                isBroken = true
                return 0
            }
        }
        ahead = max(0, before - part.count)
        return part.count
    }

    /// Behind the end of a stream another may follow (RFC 1952 §2.2); what is none is nobody's.
    private func goesOn(_ part: UnsafeRawBufferPointer, _ position: Int) -> Bool {
        guard isOver else { return true }
        return isGzip && position < part.count && part[position] == 0x1f && inflateReset(stream) == Z_OK
    }

    /// "deflate" is zlib's form by RFC 9110, and the bare one by many servers: no such stream begins with what zlib's begins with.
    private func begin(_ first: UInt8) -> Bool {
        guard !hasBegun else { return isReady }
        hasBegun = true
        let bits: Int32 = isGzip ? 15 + 16 : first & 0x0f == 8 ? 15 : -15
        isReady = inflateInit2_(stream, bits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        isBroken = !isReady
        return isReady
    }
}
