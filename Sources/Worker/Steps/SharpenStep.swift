import TintypeImages

extension Sharpen: PictureFilter {
    static var needsMemory: Bool { true }
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        try AlphaWeight.around(image) { (image: VipsImage) throws(VipsError) in
            let bands = try ColourBands(image)
            return try bands.joined(
                VipsOperation("sharpen").set("in", bands.colours).set("sigma", sigma).set("m1", amount).set("m2", 2 * amount).image())
        }
    }
}
