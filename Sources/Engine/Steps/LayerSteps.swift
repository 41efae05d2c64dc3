import TintypeImages

extension Composite: LayerFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    var fitting: LayerFitting { scale.map { .share($0) } ?? .whole }

    func apply(_ layer: VipsImage, to image: VipsImage) throws(VipsError) -> VipsImage {
        let at = place.map { ($0.x, $0.y) } ?? gravity.place(of: layer.size, in: image.size)
        return try LayerPlacing(x: at.0, y: at.1, tiling: tiling, opacity: opacity, blend: blend).put(layer, on: image)
    }
}

extension Mask: PictureFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { true }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let size = image.size
        var (x, y) = (Double(size.width) / 2, Double(size.height) / 2)
        if shape == .circle { (x, y) = (min(x, y), min(x, y)) }
        return try ShapeMask(ellipseIn: size, radiusX: x, radiusY: y).applied(to: image)
    }
}

extension Mask: LayerFilter {
    var fitting: LayerFitting { .coverage }

    func apply(_ layer: VipsImage, to image: VipsImage) throws(VipsError) -> VipsImage { try ShapeMask.apply(layer, to: image) }
}

/// The conversion of another picture's colors to the color space of the main picture, if that keeps a color space of its own.
enum LayerColors {
    /// - Parameters:
    ///   - layer: a picture in its own colors, with a profile; without one in sRGB.
    ///   - profile: the profile of the picture that it is laid on.
    /// - Returns: the layer itself if both have the same color space, or if the profile is unusable.
    static func moved(_ layer: VipsImage, to profile: [UInt8]) throws(VipsError) -> VipsImage {
        let own = ColorStep.profile(of: layer)
        if own == profile { return layer }
        let bands = try ColorBands(layer, asRGB: true)
        do throws(VipsError) {
            let tagged = try bands.colors.withHeader { header in
                if let own { header.set(ColorStep.profileField, own) } else { header.remove(ColorStep.profileField) }
            }
            // Through Lab, because libvips accepts a profile in memory only from the picture itself.
            var seen = try VipsOperation("icc_import").set("in", tagged).set("embedded", own != nil).set("input-profile", "srgb").set(
                "intent", ColorStep.intent(own)
            ).image()
            seen = try seen.withHeader { $0.set(ColorStep.profileField, profile) }
            let colors = try VipsOperation("icc_export").set("in", seen).set("intent", ColorStep.intent(profile)).set("depth", bands.isDeep ? 16 : 8).image()
            return try bands.joined(colors)
        } catch {
            return layer
        }
    }
}

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
        case .whole: try ColorStep.eightBit(layer)
        case .share(let share): try Self.scaled(ColorStep.eightBit(layer), into: size, share)
        case .coverage: try LayerCoverage.of(layer, over: size)
        }
    }

    private static func scaled(_ layer: VipsImage, into whole: PictureSize, _ share: Double) throws(VipsError) -> VipsImage {
        let own = layer.size
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
