/// Follows the framing of a chunked body as its bytes arrive (RFC 9112 §7.1). Pure.
///
/// evhttp reads a size as `strtoll` does: with a space, a sign or `0x` before the digits, or with anything after a space. It also accepts a bare line
/// feed at the end. A proxy that reads one of these differently sees another end of the body than evhttp (request smuggling). So only the grammar is
/// accepted. The grammar's space before a semicolon is refused too: no sender may write one.
///
/// Extensions and trailers are removed before evhttp sees them. A server may ignore both, while evhttp refuses extensions and reads trailers as
/// headers.
struct ChunkScanner: Sendable {
    private enum Place {
        case size, ignored(isTrailer: Bool), lineFeed(after: Line), data, dataReturn, trailerStart, complete
    }
    private enum Line { case size, data, trailer, last }

    /// The maximum number of bytes of extensions and trailers in one body.
    static let mostIgnored = 16 << 10
    /// The maximum number of digits of a size. More would overflow.
    static let mostDigits = 15

    private var place = Place.size
    private var digits = 0
    private var size = 0
    private var left = 0
    private var ignored = 0
    /// Bytes of the body that have arrived.
    private(set) var received = 0
    /// The fault in the framing, as text after "the request's body". Nothing is accepted after it.
    private(set) var flaw: String?

    /// Bytes of the body that have arrived, or that the current chunk has announced.
    var announced: Int { received + left }
    var isComplete: Bool { if case .complete = place { true } else { false } }

    /// Reads the next bytes.
    /// - Returns: the bytes without extensions and trailers. Bytes after the body stay unchanged.
    mutating func take(_ bytes: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex, flaw == nil {
            switch place {
            case .complete:
                kept += bytes[index...]
                return kept
            case .data:
                let count = min(left, bytes.endIndex - index)
                kept += bytes[index..<index + count]
                index += count
                (received, left) = (received + count, left - count)
                if left == 0 { place = .dataReturn }
            case .size, .ignored, .lineFeed, .dataReturn, .trailerStart:
                if step(bytes[index]) { kept.append(bytes[index]) }
                index += 1
            }
        }
        return kept
    }

    /// Reads one byte of framing.
    /// - Returns: whether to pass the byte to evhttp.
    private mutating func step(_ byte: UInt8) -> Bool {
        switch (place, byte) {
        case (.size, 0x30...0x39), (.size, 0x41...0x46), (.size, 0x61...0x66):
            digits += 1
            if digits > Self.mostDigits { return fail("has a chunk with a size of too many digits") }
            size = size << 4 | Int(byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x61 + 10)
        case (.size, UInt8(ascii: ";")) where digits > 0:
            place = .ignored(isTrailer: false)
            return ignore()
        case (.size, 13) where digits > 0: place = .lineFeed(after: .size)
        case (.size, _): return fail("has a chunk with a size that is no hexadecimal number")
        case (.ignored(let isTrailer), 13):
            place = .lineFeed(after: isTrailer ? .trailer : .size)
            return !isTrailer
        case (.ignored, 9), (.ignored, 0x20...0x7e), (.ignored, 0x80...): return ignore()
        case (.lineFeed(let line), 10): return end(line)
        case (.dataReturn, 13): place = .lineFeed(after: .data)
        case (.dataReturn, _): return fail("has a chunk that is longer than its size says")
        case (.trailerStart, 13): place = .lineFeed(after: .last)
        case (.trailerStart, 9), (.trailerStart, 0x20...0x7e), (.trailerStart, 0x80...):
            place = .ignored(isTrailer: true)
            return ignore()
        default: return fail("has a line in its framing with a wrong ending or a control character")
        }
        return true
    }

    /// Ends a line of the framing.
    /// - Returns: whether to pass the line feed to evhttp.
    private mutating func end(_ line: Line) -> Bool {
        switch line {
        case .size:
            (left, place) = (size, size == 0 ? .trailerStart : .data)
            (size, digits) = (0, 0)
        case .data: place = .size
        case .trailer:
            place = .trailerStart
            return false
        case .last: place = .complete
        }
        return true
    }

    private mutating func ignore() -> Bool {
        ignored += 1
        return ignored > Self.mostIgnored ? fail("has too many bytes of extensions and trailers") : false
    }

    private mutating func fail(_ what: String) -> Bool {
        flaw = what
        return false
    }
}
