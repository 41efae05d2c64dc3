import ImageHeads
import TintypeImages

/// The frames of a source that are read, and those that make the result: `decode.frames` and the operation `frames`. Pure.
struct FrameChoice {
    /// The first page that is read, and the number of pages. Unwanted pages between are passed over and do not count as frames.
    let page: Int
    let loaded: Int
    /// The indices among the loaded pages, in the order of the result.
    let frames: [Int]
    let pace: Double

    /// - Parameter isAnimated: whether the output can be animated; otherwise it gets the first remaining frame.
    /// - Throws: `transformFailed` for a frame that does not exist, `limitExceeded` for too many frames.
    init(_ facts: ImageProperties, _ rendition: Rendition, isAnimated: Bool, _ limits: ImageLimits) throws(PictureFailure) {
        let isOne = rendition.decode.frames == .first || !isAnimated && rendition.decode.page != nil
        let canMove = facts.mayMove && !isOne
        // A choice after an animation is about the frames of the animation.
        let before = rendition.operations.prefix { !$0.is(Animate.self) }
        let isWhole = before.count == rendition.operations.count
        let shown = facts.mayMove && !canMove ? try facts.number(of: rendition.decode.page ?? 0) : facts.primaryPage
        let there = canMove ? Array(0..<facts.frames) : [shown]
        let kept = try Self.kept(of: there, before, isAnimated: isAnimated && isWhole)
        let (low, high) = (kept.numbers.min() ?? 0, kept.numbers.max() ?? 0)
        page = low
        loaded = high - low + 1
        frames = kept.numbers.map { $0 - low }
        pace = kept.pace
        try limits.check(facts, frames: frames.count)
        try Self.check(facts, frames: frames.count, rendition.decode)
        let most = Self.maxLines / max(1, facts.size.height)
        if loaded > most { throw .limit("frameSpan", loaded, most) }
        // Decoders of animations begin with the first frame, whichever is wanted.
        let (passed, able) = (facts.mayMove ? high + 1 : 1, ImageLimits.maxPixelsPassed / max(1, facts.size.width * facts.size.height))
        if passed > able { throw .limit("frameSpan", passed, able) }
    }

    /// Checks the limits of the request.
    private static func check(_ facts: ImageProperties, frames: Int, _ options: DecodeOptions) throws(PictureFailure) {
        let pixels = facts.size.width * facts.size.height
        if facts.mayMove, facts.frames > 1, let most = options.maxFramePixels {
            if pixels > most { throw .limit("decode.maxFramePixels", pixels, most) }
        } else if let most = options.maxPixels, pixels * frames > most {
            throw .limit("decode.maxPixels", pixels * frames, most)
        }
    }

    /// libvips' own limit of a side: the pages that are read are one picture, frame below frame.
    private static let maxLines = 10_000_000

    /// Returns the frames that remain after the operations that choose frames, and the factor by which they are faster.
    /// - Throws: `transformFailed` for a frame that does not exist.
    static func kept(
        of all: [Int], _ operations: some Sequence<AnyOperation>, isAnimated: Bool
    ) throws(PictureFailure) -> (numbers: [Int], pace: Double) {
        var numbers = all
        var pace = 1.0
        for wanted in operations.lazy.compactMap({ $0.as(Frames.self) }) {
            if let pick = wanted.pick {
                let there = numbers
                if let missing = pick.first(where: { !there.indices.contains($0) }) {
                    throw PictureFailure(.transformFailed, .transform, "there is no frame \(missing): the picture has \(there.count), counted from 0")
                }
                numbers = pick.map { there[$0] }
            }
            if let first = wanted.first { numbers = Array(numbers.prefix(first)) }
            if wanted.isReversed { numbers.reverse() }
            pace *= wanted.speed
        }
        if !isAnimated { numbers = Array(numbers.prefix(1)) }
        return (numbers, pace)
    }
}

extension PicturePlan {
    /// The delay that viewers use for frames without a delay, or with less than 11 ms. A result states the delay that viewers use.
    static let usualDelay = 100
    static func shown(_ delay: Int) -> Int { delay < 11 ? usualDelay : delay }

    /// Returns the delay of each frame of the result in milliseconds, limited to values that the format can hold.
    /// - Parameter all: the delays of all frames of the source, as far as they are known.
    func delays(of all: [Int]) -> [Int] {
        if let animation { return held(animation.frames.map { animation.animate.delay(of: $0) }, animation.pace) }
        return held(frames.map { frame in all.indices.contains(load.page + frame) ? Self.shown(all[load.page + frame]) : Self.usualDelay }, pace)
    }

    private func held(_ delays: [Int], _ pace: Double) -> [Int] {
        let isGIF = output.format == .gif
        // Viewers take a delay of a hundredth of a second in a GIF for a tenth.
        let least = isGIF || pace != 1 ? 20 : 1
        // GIF has 16 bits of hundredths, WebP has 24 of thousandths. libwebp counts the start of a frame in 31 bits.
        let most = isGIF ? 655_350 : min(16_777_215, Int(Int32.max) / max(1, delays.count))
        // Clamped before it becomes a whole number: 32 changes of pace can exceed the range of integers.
        return delays.map { Int(min(max(Double($0) / pace, Double(least)), Double(most)).rounded()) }
    }
}
