package import TintypeImages

/// A larger canvas of one color, with the picture on it.
package struct CanvasStep: Sendable, Hashable {
    package var size: PictureSize
    package var x: Int
    package var y: Int
    package var background: Color

    package init(size: PictureSize, x: Int, y: Int, background: Color) {
        self.size = size
        self.x = x
        self.y = y
        self.background = background
    }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        if size == PictureSize(image.width, image.height) { return image }
        let ready = try background.prepare(image)
        return try VipsOperation("embed").set("in", ready).set("x", x).set("y", y).set("width", size.width)
            .set("height", size.height).set("extend", 5).set("background", background.values(for: ready)).image()
    }
}
