import ImageHeads
import TintypeImages

/// Which frames of a source are read and which of them make the result: `decode.frames` and the operation `frames`. Pure.
struct FrameChoice {
    /// The first page that is read, and how many. Those between that nobody wants are let through, and count for nothing.
    let page: Int
    let loaded: Int
    /// Places among those, in the order of the result.
    let frames: [Int]
    let pace: Double

    /// - Parameter isAnimated: whether the output can move; else it gets the first frame that is left.
    /// - Throws: `transformFailed` for a frame that does not exist, `limitExceeded` for too many.
    init(_ facts: SourceFacts, _ rendition: Rendition, isAnimated: Bool, _ limits: ImageLimits) throws(PictureFailure) {
        let isOne = rendition.decode.frames == .first || !isAnimated && rendition.decode.page != nil
        let canMove = facts.mayMove && !isOne
        // What is chosen after an animation was made are frames of that.
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
        try limits.check(width: facts.size.width, height: facts.size.height, frames: frames.count)
        let most = Self.mostLines / max(1, facts.size.height)
        if loaded > most { throw .limit("frameSpan", loaded, most) }
        // Decoders of what moves begin with the first frame, whichever is wanted.
        let (passed, able) = (facts.mayMove ? high + 1 : 1, ImageLimits.maxPixelsPassed / max(1, facts.size.width * facts.size.height))
        if passed > able { throw .limit("frameSpan", passed, able) }
    }

    /// libvips' own limit of a side: all that is let through is one picture to it, frame below frame.
    private static let mostLines = 10_000_000

    /// What is left of some frames after the operations that choose among them, and how much faster they follow each other.
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
    /// What viewers make of a frame that says nothing, or less than they believe: 0.1 s for all below 0.011 s. A result says what is seen.
    private static let usualDelay = 100
    private static func shown(_ delay: Int) -> Int { delay < 11 ? usualDelay : delay }

    /// How long each frame of the result is shown, in milliseconds: nothing that its format cannot say.
    /// - Parameter all: of all frames of the source, as far as it says.
    func delays(of all: [Int]) -> [Int] {
        if let animation { return held(animation.frames.map { animation.animate.delay(of: $0) }, animation.pace) }
        return held(frames.map { frame in all.indices.contains(load.page + frame) ? Self.shown(all[load.page + frame]) : Self.usualDelay }, pace)
    }

    private func held(_ delays: [Int], _ pace: Double) -> [Int] {
        let isGIF = output.format == .gif
        // A hundredth of a second of a GIF is taken for a tenth.
        let least = isGIF || pace != 1 ? 20 : 1
        // 16 bits of hundredths, or 24 of thousandths; libwebp counts where a frame begins in 31.
        let most = isGIF ? 655_350 : min(16_777_215, Int(Int32.max) / max(1, delays.count))
        // Held while it is no whole number: 32 changes of pace make more of it than such a number holds.
        return delays.map { Int(min(max(Double($0) / pace, Double(least)), Double(most)).rounded()) }
    }
}
