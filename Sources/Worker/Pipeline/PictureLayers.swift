import Shared

/// The other pictures that operations need, opened when the first one asks and kept for the frames that follow. Belongs to the thread that
/// works on the picture; their bytes must stay valid as long.
final class PictureLayers {
    private let sources: [Layer: UnsafeRawBufferPointer]
    private let limits: ImageLimits
    private let clock: PictureClock
    private var images: [Wanted: VipsImage] = [:]

    private struct Wanted: Hashable {
        let layer: Layer
        let profile: [UInt8]?
    }

    /// - Parameter bytes: of each of these, in their order.
    init(_ layers: [Layer], _ bytes: [UnsafeRawBufferPointer], limits: ImageLimits, clock: PictureClock) {
        sources = Dictionary(uniqueKeysWithValues: zip(layers, bytes))
        (self.limits, self.clock) = (limits, clock)
    }

    /// The picture upright, in memory, in sRGB or grey.
    /// - Parameter profile: in its colours instead.
    /// - Throws: `PictureFailure` of phase transform: it is not the source that is broken.
    func image(_ layer: Layer, in profile: [UInt8]?) throws(PictureFailure) -> VipsImage {
        let wanted = Wanted(layer: layer, profile: profile)
        if let image = images[wanted] { return image }
        let image = try image(layer, [], in: profile)
        images[wanted] = image
        return image
    }

    /// The same after some steps, and not kept: the frames of an animation are wanted once.
    func image(_ layer: Layer, _ operations: [Shared.Operation], in profile: [UInt8]?) throws(PictureFailure) -> VipsImage {
        do throws(PictureFailure) {
            guard let bytes = sources[layer] else { throw PictureFailure(.transformFailed, .transform, "it has not come") }
            return try clock.holding(.transform) { () throws(PictureFailure) in
                let format = try ImageGuard(limits: limits).check(bytes)
                return try PictureRun(bytes, format: format, limits: limits, clock: clock).picture(operations, in: profile)
            }
        } catch {
            if clock.stopped != nil { throw error }
            throw PictureFailure(.transformFailed, .transform, "the picture at \(RedactedURL(layer.source.url)): \(error.message)")
        }
    }
}
