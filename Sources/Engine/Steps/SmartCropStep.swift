/// A window of a given size at the most interesting place of a picture.
package struct SmartCropStep: Sendable, Hashable {
    package var size: PictureSize
    /// Whether the window goes where the eye is drawn, or else where most detail is.
    package var byAttention: Bool

    /// Returns the window.
    func window(in image: VipsImage) throws(VipsError) -> PictureWindow {
        let part = try VipsOperation("smartcrop").set("input", image).set("width", size.width).set("height", size.height)
            .set("interesting", byAttention ? 3 : 2).image()
        let at = part.offset
        return PictureWindow(x: -at.x, y: -at.y, width: size.width, height: size.height)
    }
}
