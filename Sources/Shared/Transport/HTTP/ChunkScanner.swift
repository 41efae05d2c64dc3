/// Reads a chunked body as its bytes arrive (RFC 9112 §7.1). Pure.
///
/// Many programs read a size as `strtoll` does: with a space, a sign or `0x` before the digits, or with anything after a space. They also accept a bare
/// line feed at the end. A proxy that reads one of these differently sees another end of the body (request smuggling). So only the grammar is
/// accepted. The grammar's space before a semicolon is refused too: no sender may write one.
///
/// Extensions and trailers are dropped, as a server may.
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

    /// Reads the next bytes, and appends those of the body to `body`.
    /// - Returns: how many of them belong to the framing or the body. The others are the next request.
    mutating func take(_ bytes: UnsafeRawBufferPointer, into body: inout [UInt8]) -> Int {
        var index = 0
        while index < bytes.count, flaw == nil {
            switch place {
            case .complete: return index
            case .data:
                let count = min(left, bytes.count - index)
                body.append(contentsOf: bytes[index..<index + count])
                index += count
                (received, left) = (received + count, left - count)
                if left == 0 { place = .dataReturn }
            case .size, .ignored, .lineFeed, .dataReturn, .trailerStart:
                step(bytes[index])
                index += 1
            }
        }
        return index
    }

    /// Reads one byte of framing.
    private mutating func step(_ byte: UInt8) {
        switch (place, byte) {
        case (.size, 0x30...0x39), (.size, 0x41...0x46), (.size, 0x61...0x66):
            digits += 1
            if digits > Self.mostDigits { return flaw = "has a chunk with a size of too many digits" }
            size = size << 4 | Int(byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x61 + 10)
        case (.size, UInt8(ascii: ";")) where digits > 0:
            place = .ignored(isTrailer: false)
            ignore()
        case (.size, 13) where digits > 0: place = .lineFeed(after: .size)
        case (.size, _): flaw = "has a chunk with a size that is no hexadecimal number"
        case (.ignored(let isTrailer), 13): place = .lineFeed(after: isTrailer ? .trailer : .size)
        case (.ignored, 9), (.ignored, 0x20...0x7e), (.ignored, 0x80...): ignore()
        case (.lineFeed(let line), 10): end(line)
        case (.dataReturn, 13): place = .lineFeed(after: .data)
        case (.dataReturn, _): flaw = "has a chunk that is longer than its size says"
        case (.trailerStart, 13): place = .lineFeed(after: .last)
        case (.trailerStart, 9), (.trailerStart, 0x20...0x7e), (.trailerStart, 0x80...):
            place = .ignored(isTrailer: true)
            ignore()
        default: flaw = "has a line in its framing with a wrong ending or a control character"
        }
    }

    private mutating func end(_ line: Line) {
        switch line {
        case .size:
            (left, place) = (size, size == 0 ? .trailerStart : .data)
            (size, digits) = (0, 0)
        case .data: place = .size
        case .trailer: place = .trailerStart
        case .last: place = .complete
        }
    }

    private mutating func ignore() {
        ignored += 1
        if ignored > Self.mostIgnored { flaw = "has too many bytes of extensions and trailers" }
    }
}
