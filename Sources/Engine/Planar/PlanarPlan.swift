package import TintypeImages

/// The planar path: a JPEG, an AVIF or a WebP becomes a JPEG or a WebP without a conversion to red, green and blue. Pure: tables of tests list the accepted
/// plans and the source of each plane's samples. Everything else goes through libvips.
package struct PlanarPlan: Sendable, Hashable {
    package let source: ImageFormat
    /// The change from the source's range of numbers to the encoder's.
    let range: PlaneRange
    /// JPEG: the factor by which the decoder shrinks each side.
    package let shrink: Int
    /// JPEG: the components of which the decoder uses only the average of each block.
    let averaged: Set<Int>
    /// WebP: whether the decoder scales the picture, to the size of the first plane.
    let isScaled: Bool
    package let failOn: Int
    /// The plane of brightness, or of gray, then the two of color.
    package let planes: [PlanePlan]
    let filter: PlaneFilter
    package let turn: Orientation
    package let size: PictureSize
    package let output: PictureOutput

    /// The most bytes of one picture in memory. For a larger one libvips streams lines instead.
    static let mostBytes = 64 << 20

    /// - Parameter plan: the plan before any part of it is left to the decoder.
    /// - Returns: nil for plans that the planar path cannot run.
    package init?(_ plan: PicturePlan, _ facts: ImageProperties, speed: DecodeOptions.Speed) {
        guard let sampling = facts.sampling, sampling.size == plan.load.size, plan.frames.count == 1, plan.animation == nil, Self.isWritten(plan.output),
            let placement = Placement(plan)
        else { return nil }
        let shrink = Self.shrink(placement, speed, sampling.shrinks)
        let scaled = Self.scaled(placement, speed, sampling)
        planes = sampling.components.indices.map {
            PlanePlan(sampling.isScaledFreely ? sampling.plane($0, scaled: scaled) : sampling.plane($0, shrink: shrink), placement, isColor: $0 > 0)
        }
        guard planes.reduce(0, { $0 + $1.byteCount(isCut: sampling.isScaledFreely) }) <= Self.mostBytes,
            planes.allSatisfy({ $0.isSafe(with: placement.filter) })
        else {
            return nil
        }
        (source, range) = (facts.format, PlaneRange(from: sampling.isFullRange, to: plan.output.format != .webp))
        isScaled = sampling.isScaledFreely && scaled != sampling.size
        (self.shrink, failOn, output) = (shrink, plan.load.failOn, plan.output)
        averaged = facts.format == .jpeg ? Set(sampling.components.indices.filter { sampling.isAveraged($0, shrink: shrink) }) : []
        (filter, turn, size) = (placement.filter, placement.turn, plan.size)
    }

    private static func isWritten(_ output: PictureOutput) -> Bool {
        let options = output.options
        guard options.maxBytes == nil, options.likeness(in: output.format) == nil, options.metadata != .all, options.profile == .srgb,
            options.thumbnail(in: output.format) == nil
        else { return false }
        return output.format == .jpeg && options.subsampling == .quarter || output.format == .webp && !options.isLossless
    }

    /// Returns the largest factor that still leaves something to resize. Unlike libvips' pixels, planes may be cut between samples.
    private static func shrink(_ placement: Placement, _ speed: DecodeOptions.Speed, _ all: [Int]) -> Int {
        guard speed != .best else { return 1 }
        let factor = min(placement.horizontal, placement.vertical)
        // A resize of less than two percent would only blur.
        return all.first { factor / Double($0) >= (speed == .fast ? 1 : 1.02) } ?? 1
    }

    /// Returns the size to which the decoder scales the whole picture.
    private static func scaled(_ placement: Placement, _ speed: DecodeOptions.Speed, _ sampling: PlaneSampling) -> PictureSize {
        let factor = min(placement.horizontal, placement.vertical)
        return sampling.isScaledFreely ? LoadShrink.averaged(sampling.size, by: factor, speed) ?? sampling.size : sampling.size
    }
}

/// The source of one plane of a result. Pure.
package struct PlanePlan: Sendable, Hashable {
    /// The size of the plane as the decoder delivers it.
    package let whole: PictureSize
    /// The part of the plane that is kept.
    package let window: PictureWindow
    /// The part of the window that becomes the result, in fractions of a sample. It may reach over the edges, which are then repeated.
    package let left: Double
    package let top: Double
    package let width: Double
    package let height: Double
    /// The size before the turn.
    package let result: PictureSize

    init(_ plane: PlaneSampling.Plane, _ placement: Placement, isColor: Bool) {
        let horizontal = Line(
            scale: plane.horizontal, samples: plane.size.width, from: placement.frame.x, length: placement.frame.width,
            step: placement.horizontal, first: placement.window.x, count: placement.window.width, isHalved: isColor,
            isReversed: placement.reversesRows, reach: placement.filter.reach, least: Self.minWidth)
        let vertical = Line(
            scale: plane.vertical, samples: plane.size.height, from: placement.frame.y, length: placement.frame.height,
            step: placement.vertical, first: placement.window.y, count: placement.window.height, isHalved: isColor,
            isReversed: placement.reversesColumns, reach: placement.filter.reach, least: 1)
        whole = plane.size
        window = PictureWindow(x: horizontal.kept.lowerBound, y: vertical.kept.lowerBound, width: horizontal.kept.count, height: vertical.kept.count)
        (left, width, top, height) = (horizontal.start, horizontal.length, vertical.start, vertical.length)
        result = PictureSize(horizontal.count, vertical.count)
    }

    /// Whether zimg computes the plane correctly. Its vertical filters of more than eight taps lose numbers of neighbors, and with them brightness or
    /// color. That happens if a window of fewer than 24 columns (of 40, with AVX-512) begins inside of its plane.
    func isSafe(with filter: PlaneFilter) -> Bool {
        let taps = 2 * (Double(filter.reach) * max(1, height / Double(result.height))).rounded(.up)
        return window.width >= Self.minWidth || left <= 0 || taps <= 8
    }
    private static let minWidth = 32

    /// The bytes of both planes together.
    /// - Parameter isCut: whether the window is cut from the whole plane in memory.
    func byteCount(isCut: Bool) -> Int {
        let most = isCut && window.size != whole ? whole.width * whole.height : 0
        return most + window.width * window.height + result.width * result.height
    }

    /// The plan in one direction.
    private struct Line {
        let kept: Range<Int>
        let start: Double
        let length: Double
        let count: Int

        /// - Parameters:
        ///   - scale: the samples for a pixel of the source.
        ///   - from: the start of the frame in the source, in pixels; nothing outside of the frame is used.
        ///   - step: the pixels of the source for one of the scaled frame, of which `count` from `first` on are wanted.
        ///   - isHalved: whether one sample of the result stands for two of its pixels.
        ///   - isReversed: whether the result is read backwards in the end, so that pairs are counted from that side.
        ///   - least: the least number of samples to keep, if the frame has them.
        init(
            scale: Double, samples: Int, from: Int, length: Int, step: Double, first: Int, count: Int, isHalved: Bool, isReversed: Bool, reach: Int,
            least: Int
        ) {
            self.count = isHalved ? (count + 1) / 2 : count
            let pixels = isHalved ? 2 * self.count : count
            let begin = (Double(from) + Double(isReversed ? first + count - pixels : first) * step) * scale
            self.length = Double(pixels) * step * scale
            // One more on each side, for a sample that is not cut in the middle.
            let margin = Double(reach + 1) * max(1, self.length / Double(self.count)) + 1
            let low = max(Double(from) * scale, begin - margin).rounded(.down)
            let high = min(Double(from + length) * scale, begin + self.length + margin).rounded(.up)
            var lower = min(max(0, Int(low)), samples - 1)
            var upper = max(lower + 1, min(samples, Int(high)))
            if upper - lower < least {
                lower = min(lower, max(0, Int((Double(from) * scale).rounded(.down)), upper - least))
                upper = max(upper, min(samples, Int((Double(from + length) * scale).rounded(.up)), lower + least))
            }
            kept = lower..<upper
            start = begin - Double(lower)
        }
    }
}
