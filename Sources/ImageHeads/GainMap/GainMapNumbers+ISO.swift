package import TintypeImages

/// The numbers as fractions of big-endian integers (ISO 21496-1, Annex C).
extension GainMapNumbers {
    /// The name at the beginning of the segment. The one of the base picture states only the version behind it.
    package static let isoName: StaticString = "urn:iso:std:iso:ts:21496:-1\0"
    /// The version of the base picture's segment: a reader needs version 0, and version 0 wrote it.
    package static let isoVersion: [UInt8] = [0, 0, 0, 0]

    private static let isMultichannel = 0x80, usesBaseColors = 0x40, hasOneDenominator = 0x08, isBackward = 0x04

    /// - Parameter iso: the bytes behind the name.
    /// - Returns: nil if there are too few bytes, for a later version, for numbers outside of their ranges, or if the base picture is HDR itself.
    package init?(iso: ByteReader) {
        guard iso.big(0, 2) == 0, let flags = iso.byte(4), flags & Self.isBackward == 0 else { return nil }
        var at = 5
        var isShort = false
        func word() -> Int {
            defer { at += 4 }
            guard let word = iso.big(at, 4) else {
                isShort = true
                return 0
            }
            return word
        }
        let shared = flags & Self.hasOneDenominator != 0 ? word() : nil
        func fraction(isSigned: Bool = false) -> Double {
            let above = word()
            let below = shared ?? word()
            // A zero below makes a number that no range contains.
            return Double(isSigned ? Int(Int32(truncatingIfNeeded: above)) : above) / Double(below)
        }
        let (base, other) = (fraction(), fraction())
        var lists = Array(repeating: [Double](), count: 5)
        for _ in 0..<(flags & Self.isMultichannel == 0 ? 1 : 3) {
            for index in lists.indices { lists[index].append(fraction(isSigned: index != 2)) }
        }
        guard !isShort else { return nil }
        self.init(minimum: lists[0], maximum: lists[1], gamma: lists[2], offsetSDR: lists[3], offsetHDR: lists[4], capacityMin: base, capacityMax: other)
    }

    /// The bytes behind the name, with each number in millionths.
    package var iso: [UInt8] {
        let millionths = 1_000_000.0
        func fraction(_ number: Double) -> [UInt8] { BigEndian.bytes(Int((number * millionths).rounded())) + BigEndian.bytes(Int(millionths)) }
        let channels = isUniform ? [0] : [0, 1, 2]
        let flags = UInt8(Self.usesBaseColors | (isUniform ? 0 : Self.isMultichannel))
        return Self.isoVersion + [flags] + fraction(capacityMin) + fraction(capacityMax)
            + channels.flatMap { channel in [minimum, maximum, gamma, offsetSDR, offsetHDR].flatMap { fraction($0[channel]) } }
    }
}
