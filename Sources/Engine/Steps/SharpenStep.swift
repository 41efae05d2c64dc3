import TintypeImages

extension Sharpen: PictureFilter {
    static var needsMemory: Bool { true }
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    /// Sharpens the colors by themselves. For colors weighted by alpha every soft edge would be an edge, and its color would move.
    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColourBands(image)
        guard let alpha = bands.alpha else { return try bands.joined(sharpened(bands.colours)) }
        let seen = try counted(bands, alpha)
        let change = try VipsOperation("subtract").set("left", sharpened(seen)).set("right", seen).image()
        return try bands.joined(VipsOperation("add").set("left", bands.colours).set("right", change).image())
    }

    private func sharpened(_ colours: VipsImage) throws(VipsError) -> VipsImage {
        try VipsOperation("sharpen").set("in", colours).set("sigma", sigma).set("m1", amount).set("m2", 2 * amount).image()
    }

    /// Returns the colors as they count for the pixels beside them. A pixel counts as far as it is as opaque as its surroundings. The mean of the
    /// surroundings makes up the rest, because colors of nearly transparent pixels are hidden or rough.
    private func counted(_ bands: ColourBands, _ alpha: VipsImage) throws(VipsError) -> VipsImage {
        let count = bands.colours.bands
        // The reach of the sharpening, so that every pixel that a visible one looks at has a mean.
        let around = try VipsOperation("gaussblur").set("in", bands.weighted()).set("sigma", sigma).set("min-ampl", 0.1).set("precision", 1).image()
        let opacity = try VipsOperation("extract_band").set("in", around).set("band", count).image()
        let ratio = try VipsOperation("divide").set("left", alpha).set("right", opacity).image()
        let share = try VipsOperation("linear").set("in", ratio).set("a", [255]).set("b", [0.5]).set("uchar", true).image()
        let plain = try VipsOperation("unpremultiply").set("in", around).set("max-alpha", bands.most).image()
        let mean = try bands.whole(VipsOperation("extract_band").set("in", plain).set("band", 0).set("n", count).image())
        let mixed = try VipsOperation("ifthenelse").set("cond", share).set("in1", bands.colours).set("in2", mean).set("blend", true).image()
        return try VipsOperation("copy").set("in", mixed).set("interpretation", Int(bands.colours.colours.rawValue)).image()
    }
}
