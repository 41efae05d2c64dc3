package import ImageHeads
package import TintypeImages

/// All the work on a picture, decided before a pixel is touched. A value; `PictureRun` carries it out.
package struct PicturePlan: Sendable, Hashable {
    package var load: LoadPlan
    /// The steps in order. Before a `turn` the coordinates are those of the picture as it is stored.
    package var steps: [PlanStep]
    /// The loaded frames that make the result, in its order.
    package var frames: [Int]
    /// The factor by which the frames are faster than in the source.
    package var pace: Double
    /// The animation, if the source does not have the frames of the result.
    package var animation: AnimationPlan?
    /// The size of one frame of the result.
    package var size: PictureSize
    package var output: PictureOutput

    /// The number of frames of the result.
    package var frameCount: Int { animation?.frames.count ?? frames.count }
}

/// The parameters for opening the source.
package struct LoadPlan: Sendable, Hashable {
    package var format: ImageFormat
    package var page: Int
    package var frames: Int
    /// JPEG: the factor by which the decoder shrinks each side: 1, 2, 4 or 8.
    package var shrink = 1
    /// WebP: the factor by which the decoder scales.
    package var scale = 1.0
    /// The size of one frame as the decoder delivers it.
    package var size: PictureSize
    package var failOn = 1

    /// Whether the source is opened in the same way as for the header.
    var isPlain: Bool { isFirstPage && failOn == 1 }
    /// Whether the load is all pixels of the first picture, and of no other.
    var isFirstPage: Bool { shrink == 1 && scale == 1 && page == 0 && frames == 1 }
}

/// One step of a plan. Each step is described in the file of its name in `Steps`.
package enum PlanStep: Sendable, Hashable {
    case crop(PictureWindow)
    case resize(ResizeStep)
    /// A conversion to sRGB. It comes early if the following steps mix colors, or if the picture is already small.
    case color
    /// Colors stay in the source's own color space, for an encoder that can store a profile.
    case ownColor
    case turn(Orientation)
    case canvas(CanvasStep)
    /// A window that depends on the pixels. In an animation, the window of the first frame is used for all.
    case smartCrop(SmartCropStep)
    case rotate(RotateStep)
    /// An operation that changes pixels but not the size.
    case filter(AnyOperation)

    /// Whether the step reads lines in another order than from top to bottom, so that the pixels must be in memory.
    var needsMemory: Bool {
        switch self {
        case .turn(let orientation): orientation.quarters != 0
        case .filter(let operation): (operation.base as? any Filter).map { type(of: $0).needsMemory } ?? false
        case .smartCrop, .rotate: true
        case .crop, .resize, .color, .ownColor, .canvas: false
        }
    }
}

/// The requested output, with the format decided.
package struct PictureOutput: Sendable, Hashable {
    package var format: ImageFormat
    package var options: OutputOptions
    /// The colors of HDR that the file keeps and states; nil: SDR.
    package var colors: CodedColors?

    /// Returns the bytes of memory that libaom takes for each pixel.
    static func memoryOfAVIF(_ options: OutputOptions) -> Int {
        switch (options.bitDepth(in: .avif) ?? 8, options.subsampling) {
        case (...8, .quarter): 25
        case (...8, .none): 40
        case (...10, .quarter): 32
        case (...10, .none), (_, .quarter): 50
        case (_, .none): 64
        }
    }

    /// The most pixels of a result. A pixel process has memory for 16 bytes of each pixel in the limit.
    /// - Parameters:
    ///   - hasAlpha: whether the result may be transparent.
    ///   - isMoving: whether it has several frames.
    func maxPixels(_ limits: ImageLimits, hasAlpha: Bool, isMoving: Bool = false) -> Int {
        guard let bytesPerPixel = format.codec.memory(options) else { return limits.maxPixels }
        // libheif writes metadata and profiles. It holds both pictures at once, and of 32 million pixels it wrote a file without them.
        let isHeld = format == .avif && hasAlpha && (options.metadata(in: format) != .none || options.keepsProfile(in: format))
        // libaom holds the frames ahead and those to refer to: 115 bytes a pixel of 4:2:0 in 8 bits. All frames of the result are in memory beside them.
        let bytes = isMoving ? 6 * bytesPerPixel : bytesPerPixel + (isHeld ? 7 : 0)
        return min(limits.maxPixels, 16 * max(limits.maxPixels, PictureBounds.pixels.usual) / bytes)
    }
}
