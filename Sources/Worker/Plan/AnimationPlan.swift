package import TintypeImages

/// The frames that a plan makes of a picture that has none, or of several pictures.
package struct AnimationPlan: Sendable, Hashable {
    package let animate: Animate
    /// How many of the plan's steps come before it: they make the first frame, or the sheet.
    package let start: Int
    /// Of one frame, when it is made.
    package let size: PictureSize
    /// Which of all that there would be make the result, in its order.
    package let frames: [Int]
    /// How much faster they follow each other than was said.
    package let pace: Double

    /// Where a frame lies in its sheet.
    func window(of frame: Int, in sheet: Animate.Sheet) -> PictureWindow {
        PictureWindow(
            x: frame % sheet.columns * size.width, y: frame / sheet.columns * size.height, width: size.width, height: size.height)
    }
}
