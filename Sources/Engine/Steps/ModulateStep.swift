import Glibc
import TintypeImages

extension Modulate: PictureFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColourBands(image)
        var colours = bands.colours
        // Between the steps values are clamped to the visible range, as browsers do.
        if brightness != 1 || contrast != 1 {
            colours = try ToneCurve.apply(to: colours, isDeep: bands.isDeep, channels: colours.bands) { [brightness, contrast] _, value in
                (min(value * brightness, 1) - 0.5) * contrast + 0.5
            }
        }
        if saturation != 1, !bands.isGrey { colours = try bands.whole(ColourMatrix.saturation(saturation).apply(to: colours)) }
        if hue != 0, !bands.isGrey { colours = try bands.whole(ColourMatrix.hue(hue).apply(to: colours)) }
        if gamma != 1 {
            colours = try ToneCurve.apply(to: colours, isDeep: bands.isDeep, channels: colours.bands) { [gamma] _, value in pow(value, 1 / gamma) }
        }
        return try bands.joined(colours)
    }
}
