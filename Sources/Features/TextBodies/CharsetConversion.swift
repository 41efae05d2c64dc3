import Glibc

/// Bytes of a charset as UTF-8, by the C library's iconv. Pure, but for the tables that it loads.
struct CharsetConversion {
    enum Failure: Error, Hashable {
        /// The system has no tables for it.
        case unknown
        /// At this byte there is nothing that it has.
        case invalid(offset: Int)
        /// It has more bytes than are allowed.
        case tooLong
    }

    /// As iconv calls it: one of `Charset`'s, never a stranger's word.
    let codec: String
    let mostBytes: Int

    private static let step = 1 << 16

    func utf8(_ bytes: ArraySlice<UInt8>) throws(Failure) -> [UInt8] {
        guard let converter = iconv_open("UTF-8", codec), Int(bitPattern: converter) != -1 else { throw .unknown }
        defer { iconv_close(converter) }
        var text: [UInt8] = []
        text.reserveCapacity(min(bytes.count + bytes.count / 8, mostBytes))
        var taken = 0
        while taken < bytes.count {
            let (read, chunk, fault) = Self.convert(bytes.dropFirst(taken), converter)
            taken += read
            text += chunk
            guard text.count <= mostBytes else { throw .tooLong }
            guard fault == 0 || fault == E2BIG, read > 0 || !chunk.isEmpty else { throw .invalid(offset: taken) }
        }
        // Some hold a letter back until they know that no accent follows.
        text += Self.convert(nil, converter).chunk
        return text
    }

    /// - Parameter bytes: nil at the end of the text.
    /// - Returns: how many bytes were read, what they are, and the errno that ended it.
    private static func convert(_ bytes: ArraySlice<UInt8>?, _ converter: iconv_t) -> (read: Int, chunk: [UInt8], fault: Int32) {
        var (read, fault) = (0, Int32(0))
        let chunk = [UInt8](unsafeUninitializedCapacity: step) { room, filled in
            var to = UnsafeMutableRawPointer(room.baseAddress)?.assumingMemoryBound(to: CChar.self)
            var left = step
            if bytes == nil { _ = iconv(converter, nil, nil, &to, &left) }
            bytes?.withUnsafeBytes { source in
                var from = UnsafeMutableRawPointer(mutating: source.baseAddress)?.assumingMemoryBound(to: CChar.self)
                var rest = source.count
                if iconv(converter, &from, &rest, &to, &left) == -1 { fault = errno }
                read = source.count - rest
            }
            filled = step - left
        }
        return (read, chunk, fault)
    }
}
