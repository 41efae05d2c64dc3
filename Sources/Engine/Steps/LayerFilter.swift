import TintypeImages

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
        let bands = try ColourBands(layer)
        var coverage: VipsImage
        if let alpha = bands.alpha {
            coverage = alpha
        } else if bands.isGrey {
            coverage = bands.colours
        } else {
            coverage = try ColourBands.rounded(ColourMatrix(rows: [ColourMatrix.luma]).apply(to: bands.colours), layer.format)
        }
        if bands.isDeep { coverage = try VipsOperation("linear").set("in", coverage).set("a", [1 / 257.0]).set("b", [0]).image() }
        coverage = try ColourBands.rounded(coverage, .uint8)
        let own = PictureSize(layer.width, layer.height)
        return own == size ? coverage : try ResizeStep(from: own, to: size, kernel: .linear).scaled(coverage)
    }
}
