import ImageHeads
import TintypeImages

extension PictureRun {
    /// Draws a text over the picture.
    /// - Parameter step: the index of the step. The drawing for the first frame serves the others.
    func draw(_ text: Text, step: Int, on image: VipsImage) throws(PictureFailure) -> VipsImage {
        let drawing = TextDrawing(text: text)
        let whole = PictureSize(image.width, image.height)
        if drawn[step] == nil { drawn[step] = .some(try drawing.image(for: whole) { body throws(PictureFailure) in try transform(body) }) }
        guard let letters = drawn[step] ?? nil else { return image }
        let at = drawing.place(of: letters, in: whole)
        let placing = LayerPlacing(x: at.x, y: at.y, tiling: text.tiling, opacity: text.opacity, blend: .normal)
        return try transform { () throws(VipsError) in try placing.put(letters.picture, on: image) }
    }
}
