package import TintypeImages

/// The meaning of the numbers in an AVIF or HEIF without a profile, as code points of ITU-T H.273. They are in the `colr` box or, in an AVIF without
/// one, in the coded picture itself. Pure.
package struct CodedColors: Sendable, Hashable {
    package let primaries: Int
    package let transfer: Int
    package let matrix: Int
    /// Whether the numbers use all their bits.
    package let isFullRange: Bool

    package init(primaries: Int, transfer: Int, matrix: Int, isFullRange: Bool) {
        (self.primaries, self.transfer, self.matrix, self.isFullRange) = (primaries, transfer, matrix, isFullRange)
    }

    /// - Returns: nil if the first picture of the file does not say.
    package init?(_ meta: HEIFMeta, _ reader: ByteReader) {
        guard let said = Self.boxed(meta, reader) ?? Self.streamed(meta, reader) else { return nil }
        self = said
    }

    /// Reads them from the box, which counts before all else.
    package static func boxed(_ meta: HEIFMeta, _ reader: ByteReader) -> CodedColors? {
        meta.property("colr", beginning: "nclx").flatMap { CodedColors(box: $0, reader) }
    }

    /// Reads the content of a `colr` box.
    init?(box at: Int, _ reader: ByteReader) {
        guard reader.has("nclx", at: at), let primaries = reader.big(at + 4, 2), let transfer = reader.big(at + 6, 2), let matrix = reader.big(at + 8, 2),
            let range = reader.byte(at + 10)
        else { return nil }
        self.init(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: range & 0x80 != 0)
    }

    /// Reads them from the coded picture or, if the end of the file is missing, from `av1C` in front.
    private static func streamed(_ meta: HEIFMeta, _ reader: ByteReader) -> CodedColors? {
        guard let box = meta.place(of: "av1C") else { return nil }
        return meta.coded.flatMap { AV1Sequence.colors(reader, in: $0) } ?? AV1Sequence.colors(reader, in: box.dropFirst(4))
    }

    /// Returns them for a file without a profile, which would take precedence.
    package static func alone(_ reader: ByteReader) -> CodedColors? {
        guard let meta = HEIFMeta(reader), !["prof", "rICC"].contains(where: { (kind: StaticString) in meta.property("colr", beginning: kind) != nil })
        else { return nil }
        return CodedColors(meta, reader)
    }

    /// Whether the colors are those of sRGB, or unspecified. Curves like that of BT.709 are read as that of sRGB, as most programs do.
    package var isSRGB: Bool { [1, 2].contains(primaries) && isUsualCurve }
    /// The name of an HDR transfer curve, PQ or HLG; nil for all other curves.
    package var highRange: String? { [16: "PQ", 18: "HLG"][transfer].map { "high dynamic range (\($0))" } }

    package var isUsualCurve: Bool { Self.usualCurves.contains(transfer) }
    /// sRGB's curve, an unspecified one, and those of BT.709, BT.601, xvYCC, BT.1361 and BT.2020, which are the same from 0 to 1.
    package static let usualCurves: Set = [1, 2, 6, 11, 12, 13, 14, 15]
}
