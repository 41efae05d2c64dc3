import Shared

/// The other pictures that operations need, opened when the first one asks and kept for the frames that follow. Belongs to the thread that
/// works on the picture; their bytes must stay valid as long.
final class PictureLayers {
    private let sources: [Layer: UnsafeRawBufferPointer]
    private let limits: ImageLimits
    private let clock: PictureClock
    private var images: [Layer: VipsImage] = [:]

    /// - Parameter bytes: of each of these, in their order.
    init(_ layers: [Layer], _ bytes: [UnsafeRawBufferPointer], limits: ImageLimits, clock: PictureClock) {
        sources = Dictionary(uniqueKeysWithValues: zip(layers, bytes))
        (self.limits, self.clock) = (limits, clock)
    }

    /// The picture upright, in sRGB or grey, in memory.
    /// - Throws: `PictureFailure` of phase transform: it is not the source that is broken.
    func image(_ layer: Layer) throws(PictureFailure) -> VipsImage {
        if let image = images[layer] { return image }
        let image = try image(layer, [])
        images[layer] = image
        return image
    }

    /// The same after some steps, and not kept: the frames of an animation are wanted once.
    func image(_ layer: Layer, _ operations: [Shared.Operation]) throws(PictureFailure) -> VipsImage {
        do throws(PictureFailure) {
            guard let bytes = sources[layer] else { throw PictureFailure(.transformFailed, .transform, "it has not come") }
            return try clock.holding(.transform) { () throws(PictureFailure) in
                let format = try ImageGuard(limits: limits).check(bytes)
                return try PictureRun(bytes, format: format, limits: limits, clock: clock).picture(operations)
            }
        } catch {
            if clock.stopped != nil { throw error }
            throw PictureFailure(.transformFailed, .transform, "the picture at \(RedactedURL(layer.source.url)): \(error.message)")
        }
    }
}
