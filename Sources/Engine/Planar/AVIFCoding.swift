import ImageHeads
import TintypeImages

/// The coding of the colors of an AVIF's one picture, and the place of that picture. The colors are read from the properties in the `meta` box:
/// `av1C` (AV1 in ISOBMFF, §2.3) and `colr` (ISO/IEC 14496-12, §12.1.5). If `colr` is missing, the coded picture is asked. Pure.
struct AVIFCoding {
    /// The planes, of 8 bits, with sRGB's red, green and blue mixed as in a JPEG.
    let sampling: PlaneSampling
    /// The colors according to the coded picture, if those count.
    let streamed: CodedColors?
    /// The place of the coded picture in the file.
    let coded: Range<Int>

    /// - Returns: nil for more bits, other colors, transparency, several pictures, or a picture that its decoder turns.
    init?(_ reader: ByteReader) {
        guard let meta = HEIFMeta(reader), meta.pictures == 1, !meta.hasAlpha, let coded = meta.coded,
            meta.hasOnly(["ispe", "pixi", "pasp", "av1C", "colr"]), let layout = meta.property("av1C").flatMap({ reader.byte($0 + 2) }),
            let colors = CodedColors(meta, reader), colors.isSRGB
        else { return nil }
        let (isDeep, isGray, isHalfWide, isHalfHigh) = (layout & 0x40 != 0, layout & 0x10 != 0, layout & 8 != 0, layout & 4 != 0)
        // 5 and 6 are BT.601. A gray picture has nothing to mix.
        guard !isDeep, isGray || [5, 6].contains(colors.matrix) else { return nil }
        let first = PlaneSampling.Factors(isHalfWide ? 2 : 1, isHalfHigh ? 2 : 1), other = PlaneSampling.Factors(1, 1)
        guard
            let sampling = PlaneSampling(
                size: PictureSize(meta.width, meta.height), components: isGray ? [other] : [first, other, other], shrinks: [], isFullRange: colors.isFullRange)
        else { return nil }
        (self.sampling, self.coded) = (sampling, coded)
        streamed = CodedColors.boxed(meta, reader) == nil ? colors : nil
    }
}
