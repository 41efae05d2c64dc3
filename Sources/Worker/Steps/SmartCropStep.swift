/// Keeps a window of a size, where the picture is most interesting.
package struct SmartCropStep: Sendable, Hashable {
    package var size: PictureSize
    /// Where the eye goes, or else where most happens.
    package var byAttention: Bool

    /// Where that is.
    func window(in image: VipsImage) throws(VipsError) -> PictureWindow {
        let part = try VipsOperation("smartcrop").set("input", image).set("width", size.width).set("height", size.height)
            .set("interesting", byAttention ? 3 : 2).image()
        let at = part.cutAt
        return PictureWindow(x: at.x, y: at.y, width: size.width, height: size.height)
    }
}
