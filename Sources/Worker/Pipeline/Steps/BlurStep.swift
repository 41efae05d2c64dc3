/// Blurs a whole picture; beyond its edges it goes on as they are.
enum BlurStep {
    /// - Parameter sigma: of the Gaussian, in pixels.
    static func apply(_ sigma: Double, to image: VipsImage) throws(VipsError) -> VipsImage {
        // 0 is integer arithmetic: exact enough for eyes, and the quickest.
        try VipsOperation("gaussblur").set("in", image).set("sigma", sigma).set("precision", 0).image()
    }
}
