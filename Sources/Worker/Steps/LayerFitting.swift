import TintypeImages

/// How a step needs another picture. Alike for all frames, and for all steps that say the same of the same picture. A value.
enum LayerFitting: Hashable {
    /// As large as it is.
    case whole
    /// Fitted into this share of the picture.
    case share(Double)
    /// How much of each pixel it speaks for: one band of 8 bits, stretched over the picture.
    case coverage

    /// - Parameters:
    ///   - layer: upright, in sRGB or grey, in memory.
    ///   - size: of the picture that the step is done to.
    func image(of layer: VipsImage, for size: PictureSize) throws(VipsError) -> VipsImage {
        switch self {
        case .whole: try ColourStep.eightBit(layer)
        case .share(let share): try Self.scaled(ColourStep.eightBit(layer), into: size, share)
        case .coverage: try LayerCoverage.of(layer, over: size)
        }
    }

    private static func scaled(_ layer: VipsImage, into whole: PictureSize, _ share: Double) throws(VipsError) -> VipsImage {
        let own = PictureSize(layer.width, layer.height)
        let factor = min(Double(whole.width) * share / Double(own.width), Double(whole.height) * share / Double(own.height))
        let size = PictureSize(max(1, Int((Double(own.width) * factor).rounded())), max(1, Int((Double(own.height) * factor).rounded())))
        return size == own ? layer : try ResizeStep(from: own, to: size).apply(to: layer)
    }
}

/// Other pictures as the steps of one result need them. A value of the run that makes it.
struct FittedLayers {
    struct Need: Hashable {
        let layer: Layer
        let fitting: LayerFitting
        /// Of the picture that the step is done to.
        let size: PictureSize
    }

    private var images: [Need: VipsImage] = [:]
    /// In memory, in bytes.
    private var held = 0

    /// Of all of them together. What finds no room covers a picture that is not whole in memory either, and few tiles of it do; or it is one of many
    /// steps, each of which would hold as much as the picture does.
    private static let mostHeld = 64 << 20

    subscript(need: Need) -> VipsImage? { images[need] }

    /// Whether there is room for its pixels.
    func hasRoom(for image: VipsImage) -> Bool { image.byteCount <= Self.mostHeld - held }

    /// - Parameter isHeld: whether its pixels are in memory for this alone; else it is a recipe, or the layer itself.
    mutating func keep(_ image: VipsImage, for need: Need, isHeld: Bool) {
        images[need] = image
        if isHeld { held += image.byteCount }
    }
}
