import TintypeImages

/// The form in which a step needs another picture. The same for all frames, and for all steps with equal parameters. A value.
enum LayerFitting: Hashable {
    /// The picture at its own size.
    case whole
    /// The picture fitted into this share of the main picture.
    case share(Double)
    /// The coverage of each pixel: one band of 8 bits, stretched over the main picture.
    case coverage

    /// - Parameters:
    ///   - layer: a picture that is upright, in sRGB or gray, in memory.
    ///   - size: the size of the picture that the step changes.
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

/// The other pictures in the form that the steps of one result need. A value of the run that makes the result.
struct FittedLayers {
    struct Need: Hashable {
        let layer: Layer
        let fitting: LayerFitting
        /// The size of the picture that the step changes.
        let size: PictureSize
    }

    private var images: [Need: VipsImage] = [:]
    /// The bytes in memory.
    private var held = 0

    /// The most bytes of all of them together. A picture that finds no room belongs to a large main picture. That one is not whole in memory
    /// either, and few of its tiles use the other picture. Or it is one of many steps, each of which would hold as much memory as the main picture.
    private static let maxHeld = 64 << 20

    subscript(need: Need) -> VipsImage? { images[need] }

    /// Whether there is room for the pixels of an image.
    func hasRoom(for image: VipsImage) -> Bool { image.byteCount <= Self.maxHeld - held }

    /// - Parameter isHeld: whether the pixels are in memory only for this purpose; otherwise the image is a pipeline, or the layer itself.
    mutating func keep(_ image: VipsImage, for need: Need, isHeld: Bool) {
        images[need] = image
        if isHeld { held += image.byteCount }
    }
}
