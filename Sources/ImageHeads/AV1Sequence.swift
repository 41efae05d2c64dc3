import TintypeImages

/// The colors in the header of an AV1 stream (AV1 specification, §5.5). An AVIF has such a header in front of its coded picture, and some have another in
/// `av1C`. Pure; whatever the bytes are, none is read twice and none beyond their end.
enum AV1Sequence {
    /// - Parameter units: the place of consecutive units of a stream.
    /// - Returns: nil if the first unit, apart from marks and padding, is no sequence header, is cut off, or has undefined values.
    static func colors(_ reader: ByteReader, in units: Range<Int>) -> CodedColors? {
        var at = units.lowerBound
        for _ in 0..<maxUnits {
            guard at < units.upperBound, let head = reader.byte(at), head & 0x80 == 0 else { return nil }
            at += head & 4 == 0 ? 1 : 2
            let said = head & 2 == 0 ? units.upperBound - at : length(reader, &at)
            guard let said, said >= 0, said <= units.upperBound - at else { return nil }
            switch head >> 3 & 15 {
            case 1:
                var bits = BitReader(reader, at..<at + said)
                return colors(&bits)
            // The mark where a picture begins, metadata, padding.
            case 2, 5, 15: at += said
            default: return nil
            }
        }
        return nil
    }

    private static let maxUnits = 16

    /// Reads a number with seven bits in each byte, the lowest first: at most eight bytes, and at most 32 bits.
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

    private static func colors(_ bits: inout BitReader) -> CodedColors? {
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
        return colors(&bits, profile)
    }

    /// Reads `color_config`, §5.5.2.
    private static func colors(_ bits: inout BitReader, _ profile: Int) -> CodedColors? {
        let isDeep = bits.flag()
        let isTwelve = profile == 2 && isDeep && bits.flag()
        let isGray = profile != 1 && bits.flag()
        let isSaid = bits.flag()
        let (primaries, transfer, matrix) = isSaid ? (bits.number(8), bits.number(8), bits.number(8)) : (2, 2, 2)
        // Unconverted red, green and blue have the full range.
        let isPlain = !isGray && (primaries, transfer, matrix) == (1, 13, 0)
        let isFullRange = isPlain || bits.flag()
        var (isHalfWide, isHalfHigh) = (profile != 1, profile == 0)
        if isTwelve, !isGray, !isPlain {
            isHalfWide = bits.flag()
            isHalfHigh = isHalfWide && bits.flag()
        }
        // The position of the color samples between those of brightness. libheif always takes the middle.
        let place = isHalfWide && isHalfHigh && !isGray && !isPlain ? bits.number(2) : 0
        guard place != 3, !bits.isSpent else { return nil }
        return CodedColors(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: isFullRange)
    }

    /// Skips the fields from `timing_info_present_flag` on.
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

    /// Skips the fields from `enable_interintra_compound` on.
    private static func skipTools(_ bits: inout BitReader) {
        bits.skip(4)
        let isOrdered = bits.flag()
        if isOrdered { bits.skip(2) }
        // For screen content: chosen for each picture, or once.
        let isForScreens = bits.flag() || bits.flag()
        if isForScreens, !bits.flag() { bits.skip(1) }
        if isOrdered { bits.skip(3) }
    }
}
