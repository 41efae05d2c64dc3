import TintypeImages

extension Invert: PictureFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColourBands(image)
        return try bands.joined(VipsOperation("invert").set("in", bands.colours).image())
    }
}
