import TintypeImages

/// What the header of an AV1 stream says of its colours (AV1 specification, §5.5): an AVIF has one in front of its coded picture, some have another in
/// `av1C`. Pure; whatever the bytes are, none is read twice and none beyond their end.
enum AV1Sequence {
    /// - Parameter units: where units of a stream stand, one behind the other.
    /// - Returns: nil where the first that is neither a mark nor filling is no header of a sequence, is cut off, or says what nobody has defined.
    static func colours(_ reader: ByteReader, in units: Range<Int>) -> CodedColours? {
        var at = units.lowerBound
        for _ in 0..<mostUnits {
            guard at < units.upperBound, let head = reader.byte(at), head & 0x80 == 0 else { return nil }
            at += head & 4 == 0 ? 1 : 2
            let said = head & 2 == 0 ? units.upperBound - at : length(reader, &at)
            guard let said, said >= 0, said <= units.upperBound - at else { return nil }
            switch head >> 3 & 15 {
            case 1:
                var bits = BitReader(reader, at..<at + said)
                return colours(&bits)
            // The mark where a picture begins, words beside it, filling.
            case 2, 5, 15: at += said
            default: return nil
            }
        }
        return nil
    }

    private static let mostUnits = 16

    /// Seven bits of each byte, the lowest first: at most eight bytes, and no more than 32 bits say.
    private static func length(_ reader: ByteReader, _ at: inout Int) -> Int? {
        var value = 0
        for index in 0..<8 {
            guard let byte = reader.byte(at) else { return nil }
            at += 1
            value |= (byte & 0x7f) << (7 * index)
            if byte & 0x80 == 0 { return value < 1 << 32 ? value : nil }
        }
        return nil
    }

    private static func colours(_ bits: inout BitReader) -> CodedColours? {
        let profile = bits.number(3)
        guard profile <= 2 else { return nil }
        bits.skip(1)
        let isReduced = bits.flag()
        if isReduced { bits.skip(5) } else { skipOperatingPoints(&bits) }
        let (across, down) = (bits.number(4) + 1, bits.number(4) + 1)
        bits.skip(across + down)
        if !isReduced, bits.flag() { bits.skip(7) }
        bits.skip(3)
        if !isReduced { skipTools(&bits) }
        bits.skip(3)
        return colours(&bits, profile)
    }

    /// `color_config`, §5.5.2.
    private static func colours(_ bits: inout BitReader, _ profile: Int) -> CodedColours? {
        let isDeep = bits.flag()
        let isTwelve = profile == 2 && isDeep && bits.flag()
        let isGrey = profile != 1 && bits.flag()
        let isSaid = bits.flag()
        let (primaries, transfer, matrix) = isSaid ? (bits.number(8), bits.number(8), bits.number(8)) : (2, 2, 2)
        // Red, green and blue as they are fill their bits.
        let isPlain = !isGrey && (primaries, transfer, matrix) == (1, 13, 0)
        let isFullRange = isPlain || bits.flag()
        var (isHalfWide, isHalfHigh) = (profile != 1, profile == 0)
        if isTwelve, !isGrey, !isPlain {
            isHalfWide = bits.flag()
            isHalfHigh = isHalfWide && bits.flag()
        }
        // Where between those of brightness the samples of colour lie: libheif takes them to be in the middle, whatever is said.
        let place = isHalfWide && isHalfHigh && !isGrey && !isPlain ? bits.number(2) : 0
        guard place != 3, !bits.isSpent else { return nil }
        return CodedColours(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: isFullRange)
    }

    /// From `timing_info_present_flag` on.
    private static func skipOperatingPoints(_ bits: inout BitReader) {
        var delay: Int?
        if bits.flag() {
            bits.skip(64)
            if bits.flag() { bits.skip(bits.zeros()) }
            if bits.flag() {
                delay = bits.number(5) + 1
                bits.skip(42)
            }
        }
        let hasDelays = bits.flag()
        for _ in 0...bits.number(5) {
            bits.skip(12)
            if bits.number(5) > 7 { bits.skip(1) }
            if let delay, bits.flag() { bits.skip(2 * delay + 1) }
            if hasDelays, bits.flag() { bits.skip(4) }
        }
    }

    /// From `enable_interintra_compound` on.
    private static func skipTools(_ bits: inout BitReader) {
        bits.skip(4)
        let isOrdered = bits.flag()
        if isOrdered { bits.skip(2) }
        // For what shows a screen: chosen picture by picture, or once.
        let isForScreens = bits.flag() || bits.flag()
        if isForScreens, !bits.flag() { bits.skip(1) }
        if isOrdered { bits.skip(3) }
    }
}

/// Bits of a stretch of bytes, the highest of each byte first.
private struct BitReader {
    private let reader: ByteReader
    private var next: Int
    private let end: Int
    /// Whether more was asked for than there is: what was told since is 0.
    private(set) var isSpent = false

    init(_ reader: ByteReader, _ bytes: Range<Int>) { (self.reader, next, end) = (reader, bytes.lowerBound * 8, bytes.upperBound * 8) }

    mutating func skip(_ count: Int) {
        isSpent = isSpent || count > end - next
        next = min(next + count, end)
    }

    mutating func number(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count {
            guard next < end, let byte = reader.byte(next >> 3) else {
                isSpent = true
                return 0
            }
            value = value << 1 | byte >> (7 - next & 7) & 1
            next += 1
        }
        return value
    }

    mutating func flag() -> Bool { number(1) == 1 }

    /// How many zeros stand before the next one, which is read too. More than 31 are taken for the end.
    mutating func zeros() -> Int {
        for count in 0..<32 where isSpent || flag() { return count }
        isSpent = true
        return 0
    }
}
