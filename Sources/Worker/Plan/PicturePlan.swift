package import TintypeImages

/// Everything that will be done to a picture, decided before a pixel is touched. A value; `PictureRun` carries it out.
package struct PicturePlan: Sendable, Hashable {
    package var load: LoadPlan
    /// In order; coordinates are those of the picture as it lies in the file until a `turn`.
    package var steps: [PlanStep]
    /// Which of the loaded frames make the result, in its order.
    package var frames: [Int]
    /// How much faster they follow each other than in the source.
    package var pace: Double
    /// What makes the frames of the result where the source does not have them.
    package var animation: AnimationPlan?
    /// Of one frame of the result.
    package var size: PictureSize
    package var output: PictureOutput

    /// Of the result.
    package var frameCount: Int { animation?.frames.count ?? frames.count }
}

/// How the source is opened.
package struct LoadPlan: Sendable, Hashable {
    package var format: ImageFormat
    package var page: Int
    package var frames: Int
    /// JPEG: the decoder leaves this many pixels out of each side: 1, 2, 4 or 8.
    package var shrink = 1
    /// WebP: the decoder scales by this.
    package var scale = 1.0
    /// Of one frame as the decoder will deliver it.
    package var size: PictureSize
    package var failOn = 1

    /// Opened the way the header was.
    var isPlain: Bool { isFirstPage && failOn == 1 }
    /// All pixels of the picture that comes first, and no other.
    var isFirstPage: Bool { shrink == 1 && scale == 1 && page == 0 && frames == 1 }
}

/// One step of a plan. What each does is in the file of its name under `Steps`.
package enum PlanStep: Sendable, Hashable {
    case crop(PictureWindow)
    case resize(ResizeStep)
    /// To sRGB, here because what follows mixes in colours, or because the picture is small now.
    case colour
    /// Colours stay in the source's own space, where an encoder can say which.
    case ownColour
    case turn(Orientation)
    case canvas(CanvasStep)
    /// A window that only the pixels can place; of an animation, the first frame's counts for all.
    case smartCrop(SmartCropStep)
    case rotate(RotateStep)
    /// An operation that changes pixels and not the size.
    case filter(AnyOperation)

    /// Whether it reads lines in another order than from top to bottom, so the pixels must be in memory.
    var needsMemory: Bool {
        switch self {
        case .turn(let orientation): orientation.quarters != 0
        case .filter(let operation): (operation.base as? any Filter).map { type(of: $0).needsMemory } ?? false
        case .smartCrop, .rotate: true
        case .crop, .resize, .colour, .ownColour, .canvas: false
        }
    }
}

/// How the result is written: what was asked for, with the format settled.
package struct PictureOutput: Sendable, Hashable {
    package var format: ImageFormat
    package var options: OutputOptions
}
