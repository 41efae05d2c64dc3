import TintypeImages

/// The codes of a frame, each of which stands for some color numbers (GIF89a, appendix F: LZW with codes of up to 12 bits).
struct GIFCodes: ~Copyable {
    private static let longest = 12
    /// The most codes, and so the most numbers of one code.
    static let most = 1 << longest

    private struct Entry {
        /// The code of all numbers but the last.
        var before: UInt16 = 0
        var length: UInt16 = 1
        var first: UInt8
        var last: UInt8
    }

    private var bits: GIFBits
    /// The table has room for every code of 12 bits, so no code that is read or kept can leave it.
    private let entries: UnsafeMutablePointer<Entry>
    /// The code that empties the table. The next one ends the data, and the codes below stand for themselves.
    private let clear: Int
    private let shortest: Int
    private var count: Int
    private var width: Int
    /// The code before; -1 at the beginning and behind `clear`.
    private var previous = -1
    /// Whether the data ended with a code that no encoder writes there.
    private(set) var isBroken = false

    /// - Parameter data: the length of the first codes, then blocks of data.
    /// - Returns: nil for codes of a length that cannot be.
    init?(_ reader: ByteReader, _ data: Range<Int>) {
        guard let size = reader.byte(data.lowerBound), size < Self.longest else { return nil }
        bits = GIFBits(reader, data.dropFirst())
        (clear, shortest, width) = (1 << size, size + 1, size + 1)
        count = clear + 2
        entries = .allocate(capacity: Self.most)
        for code in 0..<Self.most { (entries + code).initialize(to: Entry(first: UInt8(truncatingIfNeeded: code), last: UInt8(truncatingIfNeeded: code))) }
    }

    deinit { entries.deallocate() }

    /// Returns the next code that stands for numbers; nil at the end of the data. As in browsers, the data may end at any code.
    @inline(__always) mutating func next() -> Int? {
        while let code = bits.next(width) {
            if code == clear {
                (count, previous, width) = (clear + 2, -1, shortest)
                continue
            }
            if code == clear + 1 { return nil }
            if previous < 0 {
                guard code < clear else { break }
            } else {
                guard code <= count else { break }
                if count < Self.most {
                    let before = entries[previous]
                    let last = code < count ? entries[code].first : before.first
                    entries[count] = Entry(before: UInt16(truncatingIfNeeded: previous), length: before.length &+ 1, first: before.first, last: last)
                    count += 1
                    if count == 1 << width, width < Self.longest { width += 1 }
                }
            }
            previous = code
            return code
        }
        isBroken = !bits.isOver
        return nil
    }

    /// Returns the number of numbers that a code stands for.
    @inline(__always) func length(of code: Int) -> Int { Int(entries[code].length) }

    /// Writes the numbers that a code stands for.
    /// - Returns: their number.
    @inline(__always) func unpack(_ code: Int, into line: UnsafeMutablePointer<UInt8>) -> Int {
        var code = code
        let length = length(of: code)
        var at = length
        while at > 0 {
            at -= 1
            line[at] = entries[code].last
            code = Int(entries[code].before)
        }
        return length
    }
}

/// Numbers of some bits from the blocks of a frame's data, the lowest bit first.
private struct GIFBits {
    private let bytes: UnsafeRawBufferPointer
    private let limit: Int
    private var at: Int
    /// The end of the block.
    private var end: Int
    private var held: UInt64 = 0
    private var count = 0
    /// Whether all bytes have been read.
    private(set) var isOver = false

    init(_ reader: ByteReader, _ blocks: Range<Int>) {
        (bytes, limit) = (reader.bytes, min(blocks.upperBound, reader.count))
        (at, end) = (blocks.lowerBound, blocks.lowerBound)
    }

    @inline(__always) mutating func next(_ width: Int) -> Int? {
        if count < width, !fill(width) { return nil }
        defer { (held, count) = (held >> UInt64(width), count - width) }
        return Int(held & (1 << UInt64(width) - 1))
    }

    private mutating func fill(_ width: Int) -> Bool {
        while count < width {
            if end - at >= 4 {
                held |= UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))) << UInt64(count)
                (at, count) = (at + 4, count + 32)
            } else if at < end {
                held |= UInt64(bytes[at]) << UInt64(count)
                (at, count) = (at + 1, count + 8)
            } else {
                guard at < limit, bytes[at] > 0 else {
                    isOver = true
                    return false
                }
                end = min(limit, at + 1 + Int(bytes[at]))
                at += 1
            }
        }
        return true
    }
}
