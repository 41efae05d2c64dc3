package import TintypeImages

/// What the numbers of an AVIF or HEIF stand for, where no profile says it: the code points of ITU-T H.273 in its `colr` box or, of an AVIF that has none,
/// in the coded picture itself. Pure.
package struct CodedColours: Hashable {
    package let primaries: Int
    package let transfer: Int
    package let matrix: Int
    /// Whether they fill all their bits.
    package let isFullRange: Bool

    package init(primaries: Int, transfer: Int, matrix: Int, isFullRange: Bool) {
        (self.primaries, self.transfer, self.matrix, self.isFullRange) = (primaries, transfer, matrix, isFullRange)
    }

    /// - Returns: nil where the first picture of the file says nothing of it.
    package init?(_ meta: HEIFMeta, _ reader: ByteReader) {
        guard let said = Self.boxed(meta, reader) ?? Self.streamed(meta, reader) else { return nil }
        self = said
    }

    /// By the box, which counts before all else.
    package static func boxed(_ meta: HEIFMeta, _ reader: ByteReader) -> CodedColours? {
        guard let at = meta.property("colr", beginning: "nclx"), let primaries = reader.big(at + 4, 2), let transfer = reader.big(at + 6, 2),
            let matrix = reader.big(at + 8, 2), let range = reader.byte(at + 10)
        else { return nil }
        return CodedColours(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: range & 0x80 != 0)
    }

    /// By the coded picture; of a file whose end is missing, by what stands in its front.
    private static func streamed(_ meta: HEIFMeta, _ reader: ByteReader) -> CodedColours? {
        guard let box = meta.place(of: "av1C") else { return nil }
        return meta.coded.flatMap { AV1Sequence.colours(reader, in: $0) } ?? AV1Sequence.colours(reader, in: box.dropFirst(4))
    }

    /// The same where no profile is there, which would be believed instead.
    package static func alone(_ reader: ByteReader) -> CodedColours? {
        guard let meta = HEIFMeta(reader), !["prof", "rICC"].contains(where: { (kind: StaticString) in meta.property("colr", beginning: kind) != nil })
        else { return nil }
        return CodedColours(meta, reader)
    }

    /// Those of sRGB, or of which nothing is said. The curve of BT.709 is read as that of sRGB, as everybody does.
    package var isSRGB: Bool { [1, 2].contains(primaries) && isUsualCurve }
    /// Those of Display P3.
    package var isDisplayP3: Bool { primaries == 12 && isUsualCurve }
    /// Those of BT.2020, whose own curve is that of BT.709, for ten bits and for twelve.
    package var isBT2020: Bool { primaries == 9 && (isUsualCurve || [14, 15].contains(transfer)) }
    /// By its name, what is brighter than white, which is not opened.
    package var foreignKind: String? { [16: "PQ", 18: "HLG"][transfer].map { "high dynamic range (\($0))" } }

    private var isUsualCurve: Bool { [1, 2, 6, 13].contains(transfer) }
}
