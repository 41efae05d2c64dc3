import TintypeImages

extension Pixelate: PictureFilter {
    static var dependsOnPlace: Bool { true }
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let (width, height) = (min(size, image.width), min(size, image.height))
        return try AlphaWeight.around(image) { (image: VipsImage) throws(VipsError) in
            let small = try VipsOperation("shrink").set("in", image).set("hshrink", Double(width)).set("vshrink", Double(height)).set("ceil", true).image()
            let large = try VipsOperation("zoom").set("input", small).set("xfac", width).set("yfac", height).image()
            return try CropStep.apply(PictureWindow(x: 0, y: 0, width: image.width, height: image.height), to: large)
        }
    }
}
