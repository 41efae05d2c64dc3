import ImageHeads
import TintypeImages

extension PicturePlanner {
    /// Whether something may show through the result: a canvas no larger than the picture adds nothing, whatever its colour.
    /// - Parameter isAnimated: whether the result may be one that can move: then `decode.page` does not count.
    private static func leavesAlpha(
        _ facts: SourceFacts, _ rendition: Rendition, isAnimated: Bool = false, _ limits: ImageLimits
    ) throws(PictureFailure) -> Bool {
        try planned(facts, rendition, FrameChoice(facts, rendition, isAnimated: isAnimated, limits), .png, limits).hasAlpha
    }

    /// What was asked for; for `auto` the best of what is accepted; else the source's own format if it can be written, else one that keeps
    /// its transparency.
    static func format(
        _ facts: SourceFacts, _ rendition: Rendition, _ limits: ImageLimits, _ encoders: Set<ImageFormat>
    ) throws(PictureFailure) -> ImageFormat {
        let isExact = rendition.output.isLossless
        let able = isExact ? encoders.filter(\.isExactWithoutLoss) : encoders
        // To a format with a name of its own nothing else is meant than what it can.
        let chosen = isExact ? able.filter { $0 != .jpeg && ($0 != .gif || facts.format == .gif) } : able
        func checked(_ format: ImageFormat, _ able: Set<ImageFormat>) throws(PictureFailure) -> ImageFormat {
            if able.contains(format) { return format }
            let isLosing = encoders.contains(format)
            let others = ImageFormat.encodable.filter { able.contains($0) && !(isLosing && [.jpeg, .gif].contains($0)) }
            throw PictureFailure(
                .unsupportedFormat, .encode,
                "\(format.rawValue) is not written here\(isLosing ? " without loss" : ""); \(others.map(\.rawValue).joined(separator: ", ")) are")
        }
        // Of what the source is in, nothing is lost silently either; a JPEG cannot but lose.
        let isOwn = rendition.output.accepted == nil && isExact && encoders.contains(facts.format) && facts.format != .jpeg && rendition.animate == nil
        if let format = rendition.output.format ?? (isOwn ? facts.format : nil) { return try checked(format, able) }
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
            // Where nothing of it can be written without loss, a JPEG is right for nobody who has not named it.
            if isExact, best == .jpeg, !accepted.formats.contains(.jpeg) { return .png }
            return isExact ? try checked(best, chosen) : best
        }
        if let animate = rendition.animate, animate.count > 1, !facts.format.isAnimatable || facts.format == .png {
            if let moving = [ImageFormat.webp, .gif].first(where: chosen.contains) { return moving }
        }
        if chosen.contains(facts.format) { return facts.format }
        if isExact { return .png }
        return try leavesAlpha(facts, rendition, limits) ? .png : .jpeg
    }
}

extension Rendition {
    /// Whether frames stay frames in a format. In a PNG only if that is asked for, or if its source is a PNG that moves.
    func moves(as format: ImageFormat, _ facts: SourceFacts) -> Bool {
        format.isAnimatable && (format != .png || output.isAnimated || facts.format == .png && facts.mayMove && animate == nil)
    }
}
