import TintypeImages

extension Sepia: PictureFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColourBands(image, asRGB: true)
        return try bands.joined(Self.matrix.mixed(amount).apply(to: bands.colours))
    }

    private static let matrix = ColourMatrix(rows: [[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]])
}
