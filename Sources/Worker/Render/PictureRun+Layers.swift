import ImageHeads
import TintypeImages

extension PictureRun {
    /// Another picture as a step needs it: made once, though there be a hundred frames, and in memory while there is room. A recipe would be
    /// carried out anew for each tile that is laid, and for each branch of a blend.
    /// - Parameter whole: what the step is done to; alike for all frames in size and colours.
    func fitted(_ filter: any LayerFilter, _ layer: Layer, to whole: VipsImage) throws(PictureFailure) -> VipsImage {
        let need = FittedLayers.Need(layer: layer, fitting: filter.fitting, size: PictureSize(whole.width, whole.height))
        if let image = fitted[need] { return image }
        // How much of each pixel it speaks for its own numbers say.
        let profile = need.fitting == .coverage ? nil : ownProfile(of: whole)
        guard let layer = try layers?.image(layer, in: profile) else { throw PictureFailure(.transformFailed, .transform, "another picture has not come") }
        var image = try transform { () throws(VipsError) in try need.fitting.image(of: layer, for: need.size) }
        let isHeld = image !== layer && fitted.hasRoom(for: image)
        if isHeld { image = try compute(image, .transform, 0...0) }
        fitted.keep(image, for: need, isHeld: isHeld)
        return image
    }
}
