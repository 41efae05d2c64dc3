import ImageHeads
import TintypeImages

/// How an AVIF stores the colours of its one picture, by the properties in its `meta` box: `av1C` (AV1 in ISOBMFF, §2.3) and `colr`
/// (ISO/IEC 14496-12, §12.1.5), or what the coded picture says where the latter is missing; and where that picture lies. Pure.
struct AVIFCoding {
    /// Of 8 bits, sRGB's red, green and blue mixed as a JPEG mixes them.
    let sampling: PlaneSampling
    /// What the coded picture said, if that counts.
    let streamed: CodedColours?
    /// The coded picture in the file.
    let coded: Range<Int>

    /// - Returns: nil for what has more bits, other colours, transparency, several pictures, or is turned by its decoder.
    init?(_ reader: ByteReader) {
        guard let meta = HEIFMeta(reader), meta.pictures == 1, !meta.hasAlpha, let coded = meta.coded,
            meta.hasOnly(["ispe", "pixi", "pasp", "av1C", "colr"]), let layout = meta.property("av1C").flatMap({ reader.byte($0 + 2) }),
            let colours = CodedColours(meta, reader), colours.isSRGB
        else { return nil }
        let (isDeep, isGrey, isHalfWide, isHalfHigh) = (layout & 0x40 != 0, layout & 0x10 != 0, layout & 8 != 0, layout & 4 != 0)
        // 5 and 6 are BT.601. A picture without colour has nothing to mix.
        guard !isDeep, isGrey || [5, 6].contains(colours.matrix) else { return nil }
        let first = PlaneSampling.Factors(isHalfWide ? 2 : 1, isHalfHigh ? 2 : 1), other = PlaneSampling.Factors(1, 1)
        guard
            let sampling = PlaneSampling(
                size: PictureSize(meta.width, meta.height), components: isGrey ? [other] : [first, other, other], shrinks: [], isFullRange: colours.isFullRange)
        else { return nil }
        (self.sampling, self.coded) = (sampling, coded)
        streamed = CodedColours.boxed(meta, reader) == nil ? colours : nil
    }
}
