import CZlib

/// Decompresses a body piece by piece, and knows whether the whole body has arrived. A stream marks its end, but curl's own decompression ignores a
/// missing end. Used in curl's callbacks, on the loop.
final class ContentDecoder {
    /// The encodings in the request. curl knows others, but does not know whether their streams are complete.
    static let offered = "gzip, deflate"

    /// The content codings of IANA's registry that change bytes (RFC 9110 §16.6.1).
    private static let registered = [
        "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip", "x-compress", "x-gzip", "zstd",
    ]

    /// Returns the codings that headers name, in the order in which they were applied; nil without any.
    ///
    /// Any other name says nothing about the bytes, and browsers ignore it. S3 has many: `base64`, `utf-8`, `undefined`, and `aws-chunked` of an upload,
    /// alone or beside a coding.
    static func encoding(_ headers: [(name: String, value: String)]) -> String? {
        let words = headers.filter { $0.name == "content-encoding" }.flatMap { $0.value.lowercased().split(separator: ",") }
        let codings = words.map { $0.filter { $0 != " " && $0 != "\t" } }.filter { registered.contains($0) }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }

    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 1)
    private let isGzip: Bool
    private var isReady = false
    /// The number of decompressed bytes in `output` that were not taken yet.
    private var held = 0
    /// The number of bytes, among those offered next, that were already read.
    private var ahead = 0
    /// Whether zlib may have more output than had room.
    private var isFull = false
    private var hasBegun = false
    private var isOver = false
    private(set) var isBroken = false
    /// The number of compressed bytes read.
    private(set) var consumed: Int64 = 0
    /// The number of them since the last output.
    private var barren: Int64 = 0
    /// Whether the body goes on without output, such as endless empty members. The output alone would never be too long.
    var isBarren: Bool { barren > Self.maxBarren }

    /// More compressed bytes than this produce output: the header of a member may have 64 KiB, a table of codes less than one.
    static let maxBarren: Int64 = 256 << 10

    /// Makes a decoder; nil for an encoding that was not requested.
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

    /// Whether the body ended where its stream ends. A body without a byte is complete.
    var isWhole: Bool { !hasBegun || isOver }

    /// Decompresses bytes and passes them on.
    /// - Parameter deliver: returns the number of bytes taken, as curl's callbacks do. Bytes that were not taken are offered again, when curl offers
    ///   the same input again.
    /// - Returns: the number of input bytes taken; 0 also if they are invalid.
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
            // The end of the input is no fault.
            guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status) else {
                isBroken = true
                return 0
            }
        }
        ahead = max(0, before - part.count)
        return part.count
    }

    /// Returns whether another stream follows the end of one (RFC 1952 §2.2). Any other bytes are ignored.
    private func goesOn(_ part: UnsafeRawBufferPointer, _ position: Int) -> Bool {
        guard isOver else { return true }
        return isGzip && position < part.count && part[position] == 0x1f && inflateReset(stream) == Z_OK
    }

    /// Starts the decompression. "deflate" is zlib's format by RFC 9110, and raw deflate from many servers. No raw stream begins like zlib's.
    private func begin(_ first: UInt8) -> Bool {
        guard !hasBegun else { return isReady }
        hasBegun = true
        let bits: Int32 = isGzip ? 15 + 16 : first & 0x0f == 8 ? 15 : -15
        isReady = inflateInit2_(stream, bits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        isBroken = !isReady
        return isReady
    }
}
