import TintypeImages

extension Grayscale: PictureFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColourBands(image)
        return try bands.joined(Self.luma(of: bands))
    }

    /// Returns one band, not yet rounded.
    static func luma(of bands: ColourBands) throws(VipsError) -> VipsImage {
        bands.isGrey ? bands.colours : try ColourMatrix(rows: [ColourMatrix.luma]).apply(to: bands.colours)
    }
}
