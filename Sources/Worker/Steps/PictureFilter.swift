import TintypeImages

/// An operation that changes pixels and not the size: one file each.
protocol PictureFilter {
    /// Whether it matters which corner is which; else it may be done before the picture is turned upright.
    static var dependsOnPlace: Bool { get }
    /// Whether it reads many lines at once, so that the pixels must be in memory.
    static var needsMemory: Bool { get }
    func apply(to image: VipsImage) throws(VipsError) -> VipsImage
}

extension PictureFilter {
    static var dependsOnPlace: Bool { false }
    static var needsMemory: Bool { false }
}

extension TintypeImages.Operation {
    /// What carries it out, if it is a filter.
    var filter: (any PictureFilter)? {
        if layer != nil { return nil }
        return switch self {
        case .background(let filter): filter
        case .blur(let filter): filter
        case .duotone(let filter): filter
        case .grayscale(let filter): filter
        case .invert(let filter): filter
        case .mask(let filter): filter
        case .modulate(let filter): filter
        case .pixelate(let filter): filter
        case .roundCorners(let filter): filter
        case .sepia(let filter): filter
        case .sharpen(let filter): filter
        case .tint(let filter): filter
        case .animate, .autorotate, .composite, .crop, .extend, .flip, .frames, .pad, .resize, .rotate, .text, .trim: nil
        }
    }
}
