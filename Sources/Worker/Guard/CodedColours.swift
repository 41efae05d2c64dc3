import Shared

/// What the numbers of an AVIF or HEIF stand for, where no profile says it: the code points of ITU-T H.273 in its `colr` box. Pure.
struct CodedColours {
    let primaries: Int
    let transfer: Int
    let matrix: Int
    /// Whether they fill all their bits.
    let isFullRange: Bool

    /// - Returns: nil where the first picture of the file says nothing of it.
    init?(_ meta: HEIFMeta, _ reader: ByteReader) {
        guard let at = meta.property("colr", beginning: "nclx"), let primaries = reader.big(at + 4, 2), let transfer = reader.big(at + 6, 2),
            let matrix = reader.big(at + 8, 2), let range = reader.byte(at + 10)
        else { return nil }
        (self.primaries, self.transfer, self.matrix, isFullRange) = (primaries, transfer, matrix, range & 0x80 != 0)
    }

    /// The same where no profile is there, which would be believed instead.
    static func alone(_ reader: ByteReader) -> CodedColours? {
        guard let meta = HEIFMeta(reader), !["prof", "rICC"].contains(where: { (kind: StaticString) in meta.property("colr", beginning: kind) != nil })
        else { return nil }
        return CodedColours(meta, reader)
    }

    /// Those of sRGB, or of which nothing is said. The curve of BT.709 is read as that of sRGB, as everybody does.
    var isSRGB: Bool { [1, 2].contains(primaries) && isUsualCurve }
    /// Those of Display P3.
    var isDisplayP3: Bool { primaries == 12 && isUsualCurve }
    /// The curve of a picture that is brighter than white.
    var highRange: String? { [16: "PQ", 18: "HLG"][transfer] }

    private var isUsualCurve: Bool { [1, 2, 6, 13].contains(transfer) }
}
