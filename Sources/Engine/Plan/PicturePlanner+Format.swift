import ImageHeads
import TintypeImages

extension PicturePlanner {
    /// Whether the result may be transparent. A canvas no larger than the picture adds nothing, whatever its color.
    /// - Parameter isAnimated: whether the result may be animated; then `decode.page` does not count.
    private static func leavesAlpha(
        _ facts: ImageProperties, _ rendition: Rendition, isAnimated: Bool = false, _ limits: ImageLimits
    ) throws(PictureFailure) -> Bool {
        try planned(facts, rendition, FrameChoice(facts, rendition, isAnimated: isAnimated, limits), .png, limits).hasAlpha
    }

    /// Returns the format of the result. It is the requested one. For `auto` it is the best accepted one. Otherwise it is the source's own, if it can be
    /// written, or one that keeps the transparency.
    static func format(
        _ facts: ImageProperties, _ rendition: Rendition, _ limits: ImageLimits, _ encoders: Set<ImageFormat>
    ) throws(PictureFailure) -> ImageFormat {
        let isExact = rendition.output.isLossless
        let able = isExact ? encoders.filter(\.codec.isExactWithoutLoss) : encoders
        // A format that the request names itself is checked only against the encoder's abilities.
        let chosen = isExact ? able.filter { $0 != .jpeg && ($0 != .gif || facts.format == .gif) } : able
        func checked(_ format: ImageFormat, _ able: Set<ImageFormat>) throws(PictureFailure) -> ImageFormat {
            if able.contains(format) { return format }
            let isLosing = encoders.contains(format)
            let others = ImageFormat.encodable.filter { able.contains($0) && !(isLosing && [.jpeg, .gif].contains($0)) }
            throw PictureFailure(
                .unsupportedFormat, .encode,
                "\(format.rawValue) cannot be written here\(isLosing ? " without loss" : ""); \(others.map(\.rawValue).joined(separator: ", ")) can")
        }
        // The source's own format must not lose anything silently either. JPEG is excluded, because it always loses.
        let isOwn = rendition.output.accepted == nil && isExact && encoders.contains(facts.format) && facts.format != .jpeg && rendition.animate == nil
        if let format = rendition.output.format ?? (isOwn ? facts.format : nil) { return try checked(format, able) }
        if facts.highRange != nil, facts.format == .heif, rendition.output.accepted == nil, rendition.output.keepsHDR(in: .avif), chosen.contains(.avif) {
            return .avif
        }
        if let accepted = rendition.output.accepted {
            let canMove = accepted.formats.contains { rendition.moves(as: $0, facts) && chosen.contains($0) }
            var frames = 1
            if canMove {
                frames = if let animate = rendition.animate { animate.count } else { try FrameChoice(facts, rendition, isAnimated: true, limits).frames.count }
            }
            let best = try accepted.best(
                isAnimated: frames > 1, movesAsPNG: rendition.moves(as: .png, facts),
                hasAlpha: frames > 1 ? facts.hasAlpha : leavesAlpha(facts, rendition, isAnimated: canMove, limits),
                source: facts.format, written: chosen)
            // If no accepted format can be lossless, a JPEG is no answer for a request that has not named it.
            if isExact, best == .jpeg, !accepted.formats.contains(.jpeg) { return .png }
            return isExact ? try checked(best, chosen) : best
        }
        if let animate = rendition.animate, animate.count > 1, !facts.format.isAnimatable || facts.format.movesOnDemand {
            if let moving = [ImageFormat.webp, .gif].first(where: chosen.contains) { return moving }
        }
        if chosen.contains(facts.format) { return facts.format }
        if isExact { return .png }
        return try leavesAlpha(facts, rendition, limits) ? .png : .jpeg
    }
}

extension Rendition {
    /// Whether the frames stay an animation in a format. For PNG and AVIF only if it is asked for, or if the source is an animation of that format.
    func moves(as format: ImageFormat, _ facts: ImageProperties) -> Bool {
        format.isAnimatable && (!format.movesOnDemand || output.isAnimated || facts.format == format && facts.mayMove && animate == nil)
    }
}
