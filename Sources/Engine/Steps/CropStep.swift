/// A window of a picture.
enum CropStep {
    static func apply(_ window: PictureWindow, to image: VipsImage) throws(VipsError) -> VipsImage {
        try VipsOperation("extract_area").set("input", image).set("left", window.x).set("top", window.y).set("width", window.width)
            .set("height", window.height).image()
    }
}
