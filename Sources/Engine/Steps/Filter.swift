import TintypeImages

/// An operation that changes pixels but not the size. A `PictureFilter` needs only the picture, a `LayerFilter` another picture too.
protocol Filter {
    /// Whether the filter reads many lines at once, so that the pixels must be in memory. Default: false.
    static var needsMemory: Bool { get }
    /// Whether the filter depends on the orientation; otherwise it may run before the picture is turned upright. Default: false.
    static var dependsOnPlace: Bool { get }
    /// Whether the result may be transparent. There is no default, because a wrong answer loses transparency or keeps a useless channel.
    /// - Parameter hasAlpha: whether the input may be transparent.
    func leavesAlpha(of hasAlpha: Bool) -> Bool
}

extension Filter {
    static var needsMemory: Bool { false }
    static var dependsOnPlace: Bool { false }
}

/// A filter that needs only the picture.
protocol PictureFilter: Filter {
    func apply(to image: VipsImage) throws(VipsError) -> VipsImage
}

/// A filter that changes the colors of each pixel by themselves. Transparency stays.
protocol ColorFilter: PictureFilter {
    /// Whether gray becomes three equal bands first. Default: false.
    var needsRGB: Bool { get }
    /// Returns other colors, of any number format.
    func colors(of bands: ColorBands) throws(VipsError) -> VipsImage
}

extension ColorFilter {
    var needsRGB: Bool { false }
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColorBands(image, asRGB: needsRGB)
        return try bands.joined(colors(of: bands))
    }
}

extension AnyOperation {
    /// The filter of the operation, if it needs no other picture.
    var filter: (any PictureFilter)? { layers.isEmpty ? base as? any PictureFilter : nil }

    /// The filter of the operation, if it needs another picture.
    var layerFilter: (any LayerFilter)? { layers.isEmpty ? nil : base as? any LayerFilter }
}

/// A filter that changes pixels by another picture.
protocol LayerFilter: Filter {
    var fitting: LayerFitting { get }
    /// - Parameter layer: the fitted layer, in memory unless it is large.
    func apply(_ layer: VipsImage, to image: VipsImage) throws(VipsError) -> VipsImage
}

/// The coverage of each pixel by another picture.
enum LayerCoverage {
    /// Returns one band of 8 bits, stretched over a picture of this size. It is the transparency of the layer or, without one, the brightness.
    static func of(_ layer: VipsImage, over size: PictureSize) throws(VipsError) -> VipsImage {
        let bands = try ColorBands(layer)
        var coverage: VipsImage
        if let alpha = bands.alpha {
            coverage = alpha
        } else if bands.isGray {
            coverage = bands.colors
        } else {
            coverage = try ColorBands.rounded(ColorMatrix(rows: [ColorMatrix.luma]).apply(to: bands.colors), layer.format)
        }
        if bands.isDeep { coverage = try coverage.linear(1 / 257.0) }
        coverage = try ColorBands.rounded(coverage, .uint8)
        return layer.size == size ? coverage : try ResizeStep(from: layer.size, to: size, kernel: .linear).scaled(coverage)
    }
}
