import CDav1d
@testable import ImageHeads
import TintypeCore
import TintypeImages
import TestSupport
import Testing

/// Headers of AV1 streams, written by the specification, and read here as by dav1d.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)))
struct AV1SequenceTests {
    /// The fields of a test header, and the way they are written.
    struct Header {
        var profile = 0
        var isReduced = true
        /// The timing info: nil; equal steps or not; with a decoder model or not.
        var clock: (isEqual: Bool, hasModel: Bool)?
        var hasDelays = false
        var points = 1
        var hasNumbers = false
        var isOrdered = false
        /// The number of screen content fields: both, one, or none.
        var screens = 2
        var isDeep = false
        var isTwelve = false
        var isGray = false
        var colors: (Int, Int, Int)? = (1, 13, 6)
        var isFullRange = true
        /// The subsampling of twelve bits.
        var halves = (true, true)
        var place = 0

        var bits: [Bool] {
            var bits: [Bool] = []
            func put(_ value: Int, _ count: Int) { for index in 0..<count { bits.append(value >> (count - 1 - index) & 1 == 1) } }
            put(profile, 3)
            put(1, 1)
            put(isReduced ? 1 : 0, 1)
            if isReduced { put(4, 5) } else { operate(put) }
            put(9, 4)
            put(8, 4)
            put(639, 10)
            put(479, 9)
            if !isReduced {
                put(hasNumbers ? 1 : 0, 1)
                if hasNumbers { put(0x2a, 7) }
            }
            put(0b101, 3)
            if !isReduced { tools(put) }
            put(0b010, 3)
            put(isDeep ? 1 : 0, 1)
            if profile == 2, isDeep { put(isTwelve ? 1 : 0, 1) }
            if profile != 1 { put(isGray ? 1 : 0, 1) }
            put(colors == nil ? 0 : 1, 1)
            if let (primaries, transfer, matrix) = colors { for value in [primaries, transfer, matrix] { put(value, 8) } }
            if isGray {
                put(isFullRange ? 1 : 0, 1)
            } else {
                let isPlain = colors.map { $0 == (1, 13, 0) } ?? false
                if !isPlain {
                    put(isFullRange ? 1 : 0, 1)
                    var half = (profile != 1, profile == 0)
                    if profile == 2, isTwelve {
                        put(halves.0 ? 1 : 0, 1)
                        if halves.0 { put(halves.1 ? 1 : 0, 1) }
                        half = (halves.0, halves.0 && halves.1)
                    }
                    if half == (true, true) { put(place, 2) }
                }
                put(0, 1)
            }
            // No film grain, then the end.
            put(0, 1)
            put(1, 1)
            return bits
        }

        private func operate(_ put: (Int, Int) -> Void) {
            put(clock == nil ? 0 : 1, 1)
            if let clock {
                put(1, 32)
                put(30, 32)
                put(clock.isEqual ? 1 : 0, 1)
                // 4 in seven bits of a code without a length.
                if clock.isEqual { put(0b00101, 5) }
                put(clock.hasModel ? 1 : 0, 1)
                if clock.hasModel { put(9 << 42 | 1 << 10 | 7 << 5 | 7, 47) }
            }
            put(hasDelays ? 1 : 0, 1)
            put(points - 1, 5)
            for point in 0..<points {
                put(points == 1 ? 0 : 1 << 8 | 1 << (point % 8), 12)
                let level = point % 2 == 0 ? 4 : 9
                put(level, 5)
                if level > 7 { put(1, 1) }
                if clock?.hasModel == true {
                    put(point % 2, 1)
                    if point % 2 == 1 { put(0x15555, 21) }
                }
                if hasDelays { put(0b10011, 5) }
            }
        }

        private func tools(_ put: (Int, Int) -> Void) {
            put(0b1010, 4)
            put(isOrdered ? 1 : 0, 1)
            if isOrdered { put(0b11, 2) }
            switch screens {
            case 0: put(0b00, 2)
            case 1: put(0b010, 3)
            default: put(0b11, 2)
            }
            if screens == 1 { put(1, 1) }
            if isOrdered { put(6, 3) }
        }

        /// Returns the header as a unit of a stream.
        func unit(head: [UInt8] = [0x0a], isMeasured: Bool = true) -> [UInt8] {
            let bits = bits
            let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
                (0..<8).reduce(UInt8(0)) { $0 << 1 | (start + $1 < bits.count && bits[start + $1] ? 1 : 0) }
            }
            return head + (isMeasured ? [UInt8(bytes.count)] : []) + bytes
        }

        var said: CodedColors {
            let (primaries, transfer, matrix) = colors ?? (2, 2, 2)
            let isPlain = !isGray && (primaries, transfer, matrix) == (1, 13, 0)
            return CodedColors(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: isPlain || isFullRange)
        }
    }

    private static func read(_ bytes: [UInt8], in range: Range<Int>? = nil) -> CodedColors? {
        bytes.withUnsafeBytes { AV1Sequence.colors(ByteReader(bytes: $0), in: range ?? 0..<bytes.count) }
    }

    private static func theirs(_ bytes: [UInt8]) -> CodedColors? {
        var header = Dav1dSequenceHeader()
        guard dav1d_parse_sequence_header(&header, bytes, bytes.count) == 0 else { return nil }
        return CodedColors(
            primaries: Int(header.pri.rawValue), transfer: Int(header.trc.rawValue), matrix: Int(header.mtrx.rawValue), isFullRange: header.color_range != 0)
    }

    static let headers: [(String, Header)] = [
        ("of a still picture", Header()), ("nothing said", Header(colors: nil)), ("the smaller range", Header(isFullRange: false)),
        ("BT.2020", Header(colors: (9, 14, 9))), ("HDR of ten bits", Header(isDeep: true, colors: (9, 16, 9), isFullRange: false)),
        ("numbers that nobody has defined", Header(colors: (77, 99, 200))), ("gray", Header(isGray: true)),
        ("gray, nothing said", Header(isGray: true, colors: nil, isFullRange: false)), ("whole color", Header(profile: 1)),
        ("red, green and blue", Header(profile: 1, colors: (1, 13, 0))),
        ("gray, said to be that", Header(isGray: true, colors: (1, 13, 0), isFullRange: false)),
        ("halves", Header(profile: 2)), ("halves of ten bits", Header(profile: 2, isDeep: true)),
        ("twelve bits", Header(profile: 2, isDeep: true, isTwelve: true)),
        ("twelve bits, halves", Header(profile: 2, isDeep: true, isTwelve: true, halves: (true, false))),
        ("twelve bits, whole", Header(profile: 2, isDeep: true, isTwelve: true, halves: (false, false))),
        ("twelve bits of gray", Header(profile: 2, isDeep: true, isTwelve: true, isGray: true)),
        ("samples on the left", Header(place: 1)), ("samples in the corner", Header(isFullRange: false, place: 2)),
        ("of a sequence", Header(isReduced: false)), ("of a sequence for screens", Header(isReduced: false, screens: 1)),
        ("of a sequence for none", Header(isReduced: false, isOrdered: true, screens: 0)),
        ("numbered", Header(isReduced: false, hasNumbers: true, isOrdered: true)),
        ("with a clock", Header(isReduced: false, clock: (false, false))), ("of equal steps", Header(isReduced: false, clock: (true, false), isOrdered: true)),
        ("with a model", Header(isReduced: false, clock: (true, true), hasDelays: true)),
        ("of many points", Header(isReduced: false, clock: (false, true), hasDelays: true, points: 4, hasNumbers: true, isOrdered: true, screens: 1)),
    ]

    @Test(arguments: headers.indices) func `The colors of a header are read as dav1d reads them`(index: Int) {
        let (name, header) = Self.headers[index]
        let unit = header.unit()
        #expect(Self.read(unit) == header.said, "\(name)")
        #expect(Self.theirs(unit) == header.said, "\(name)")
        // A truncated header is not read, not even if it is cut within its own length.
        let needed = (header.bits.count - (header.isGray ? 2 : 3)) / 8
        for count in 0..<needed {
            #expect(Self.read(Array(unit.prefix(2 + count))) == nil, "\(name), \(count)")
            #expect(Self.read([unit[0], UInt8(count)] + unit[2...]) == nil, "\(name), \(count)")
            #expect(Self.read(unit, in: 0..<2 + count) == nil, "\(name), \(count)")
        }
    }

    @Test func `A header is found behind marks and padding, and nowhere else`() {
        let header = Header(colors: (12, 13, 6), isFullRange: false)
        let unit = header.unit()
        let (mark, words, filling, pixels) = ([0x12, 0], [0x2a, 3, 1, 2, 3], [0x7a, 1, 0], [0x32, 2, 9, 9]) as ([UInt8], [UInt8], [UInt8], [UInt8])
        for front in [mark, mark + words, filling + mark, mark + mark, []] {
            #expect(Self.read(front + unit) == header.said)
            #expect(Self.read(front + unit + pixels) == header.said)
            #expect(Self.read([1, 2, 3] + front + unit + [4], in: 3..<3 + front.count + unit.count) == header.said)
        }
        #expect(Self.read(header.unit(head: [0x08], isMeasured: false)) == header.said)
        #expect(Self.read(header.unit(head: [0x0e, 0x28])) == header.said)
        // A length in more bytes than necessary.
        #expect(Self.read([0x0a, unit[1] | 0x80, 0x80, 0] + unit[2...]) == header.said)
        for broken in [
            pixels + unit, Array(repeating: mark, count: 16).joined() + unit, [0x8a] + unit.dropFirst(), [0x12, 200] + unit,
            [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff] + unit[2...], [0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f] + unit[2...], [0x0a, 0x80],
        ] as [[UInt8]] { #expect(Self.read(broken) == nil) }
    }

    @Test func `Undefined values are left to libraries`() {
        for profile in 3...7 { #expect(Self.read(Header(profile: profile).unit()) == nil) }
        #expect(Self.read(Header(place: 3).unit()) == nil)
        #expect(Self.read(Header(isFullRange: false, place: 3).unit()) == nil)
    }

    @Test func `Random bits are read as dav1d reads them`() {
        var dice = Dice(1)
        for (name, header) in Self.headers {
            let unit = header.unit()
            for index in 2 * 8..<unit.count * 8 {
                var changed = unit
                changed[index / 8] ^= 0x80 >> UInt8(index % 8)
                if let theirs = Self.theirs(changed), let ours = Self.read(changed) { #expect(ours == theirs, "\(name), bit \(index)") }
            }
        }
        for _ in 0..<2000 {
            let unit = [0x0a, 40] + (0..<40).map { _ in UInt8.random(in: 0...255, using: &dice) }
            if let theirs = Self.theirs(unit), let ours = Self.read(unit) { #expect(ours == theirs, "\(unit)") }
        }
    }
}
