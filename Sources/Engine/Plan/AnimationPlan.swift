package import TintypeImages

/// The frames that a plan makes from a still picture, or from several pictures.
package struct AnimationPlan: Sendable, Hashable {
    package let animate: Animate
    /// The number of steps before the animation. They make the first frame, or the sheet.
    package let start: Int
    /// The size of one new frame.
    package let size: PictureSize
    /// The frames of the result among all possible ones, in its order.
    package let frames: [Int]
    /// The factor by which the frames are faster than requested.
    package let pace: Double

    /// Returns the window of a frame in its sheet.
    func window(of frame: Int, in sheet: Animate.Sheet) -> PictureWindow {
        PictureWindow(
            x: frame % sheet.columns * size.width, y: frame / sheet.columns * size.height, width: size.width, height: size.height)
    }
}
