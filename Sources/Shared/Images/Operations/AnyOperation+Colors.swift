extension AnyOperation {
    /// Whether the operation moves, averages or hides pixels, whatever colors their numbers mean. Every other one knows sRGB alone.
    var leavesColors: Bool {
        guard base.canonical != nil else { return true }
        return switch base {
        case is Crop, is Flip, is Sharpen, is Pixelate, is Frames, is Autorotate: true
        case let resize as Resize: !resize.isLinear && resize.background.alpha == 0
        case let rotate as Rotate: rotate.background.alpha == 0
        case let blur as Blur: blur.saturation == 1 && blur.tint?.alpha ?? 0 == 0 && blur.mask == nil
        case let corners as RoundCorners: corners.borderWidth == 0
        case let mask as Mask: mask.layers.isEmpty
        default: false
        }
    }
}
