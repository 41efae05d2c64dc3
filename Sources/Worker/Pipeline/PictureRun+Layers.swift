import Shared

extension PictureRun {
    /// Another picture as a step needs it: made once, though there be a hundred frames, and in memory unless it is large. A recipe would be
    /// carried out anew for each tile that is laid, and for each branch of a blend.
    /// - Parameters:
    ///   - step: its number in the plan.
    ///   - whole: of the picture that the step is done to; alike for all frames.
    func fitted(_ filter: any LayerFilter, _ layer: Layer, _ step: Int, to whole: PictureSize) throws(PictureFailure) -> VipsImage {
        if let image = fitted[step] { return image }
        guard let layer = try layers?.image(layer) else { throw PictureFailure(.transformFailed, .transform, "another picture has not come") }
        var image = try transform { () throws(VipsError) in try filter.fitted(layer, to: whole) }
        if image !== layer, image.byteCount <= Self.mostFitted { image = try compute(image, .transform, 0...0) }
        fitted[step] = image
        return image
    }

    /// In bytes. What is larger covers a picture that is not whole in memory either, and few tiles of it do.
    private static let mostFitted = 64 << 20
}
