import TintypeImages

/// The bits of a range of bytes, one after the other. None beyond the end is read.
struct BitReader {
    private let reader: ByteReader
    private var next: Int
    private let end: Int
    /// Whether the lowest bit of each byte comes first, and of each number too; otherwise the highest.
    private let isLowFirst: Bool
    /// Whether more bits were read than there are. The extra bits were 0.
    private(set) var isSpent = false

    init(_ reader: ByteReader, _ bytes: Range<Int>, isLowFirst: Bool = false) {
        (self.reader, next, end, self.isLowFirst) = (reader, bytes.lowerBound * 8, bytes.upperBound * 8, isLowFirst)
    }

    mutating func skip(_ count: Int) {
        isSpent = isSpent || count > end - next
        next = min(next + count, end)
    }

    mutating func number(_ count: Int) -> Int {
        var value = 0
        for index in 0..<count {
            guard next < end, let byte = reader.byte(next >> 3) else {
                isSpent = true
                return 0
            }
            value = isLowFirst ? value | (byte >> (next & 7) & 1) << index : value << 1 | byte >> (7 - next & 7) & 1
            next += 1
        }
        return value
    }

    mutating func flag() -> Bool { number(1) == 1 }

    /// Returns the number of zeros before the next one, which is read too. More than 31 count as the end.
    mutating func zeros() -> Int {
        for count in 0..<32 where isSpent || flag() { return count }
        isSpent = true
        return 0
    }
}
