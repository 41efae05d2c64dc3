import ImageHeads
import TintypeImages

/// The other pictures that operations need, opened when the first one asks and kept for the frames that follow. Belongs to the thread that
/// works on the picture; their bytes must stay valid as long.
final class PictureLayers {
    private let sources: [Layer: (number: Int, bytes: UnsafeRawBufferPointer)]
    private let limits: ImageLimits
    private let clock: PictureClock
    private var images: [Wanted: VipsImage] = [:]
    /// Of these, in bytes: together no more than a picture may take that is decoded.
    private var held = 0

    private struct Wanted: Hashable {
        let layer: Layer
        let profile: [UInt8]?
    }

    /// - Parameter bytes: of each of these, in their order.
    init(_ layers: [Layer], _ bytes: [UnsafeRawBufferPointer], limits: ImageLimits, clock: PictureClock) {
        sources = Dictionary(uniqueKeysWithValues: zip(layers, zip(1..., bytes).map { (number: $0, bytes: $1) }))
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
        held += image.byteCount
        return image
    }

    /// The same after some steps, and not kept: the frames of an animation are wanted once.
    func image(_ layer: Layer, _ operations: [AnyOperation], in profile: [UInt8]?) throws(PictureFailure) -> VipsImage {
        guard let (number, bytes) = sources[layer] else { throw PictureFailure(.transformFailed, .transform, "another picture has not come") }
        do throws(PictureFailure) {
            return try clock.holding(.transform) { () throws(PictureFailure) in
                let format = try ImageGuard(limits: limits).check(bytes)
                let run = try PictureRun(bytes, format: format, limits: limits, clock: clock)
                if operations.isEmpty { try check(run.facts) }
                return try run.picture(operations, in: profile)
            }
        } catch {
            if clock.stopped != nil { throw error }
            // Its URL does not come as far as here.
            throw PictureFailure(.transformFailed, .transform, "other picture \(number) of \(sources.count): \(error.message)")
        }
    }

    /// Whether there is room for one more beside those that are held.
    private func check(_ facts: SourceFacts) throws(PictureFailure) {
        let all = held + facts.size.width * facts.size.height * facts.bytesPerPixel
        guard all > limits.maxDecodedBytes, held > 0 else { return }
        throw PictureFailure(
            .transformFailed, .transform,
            "with those that are held for other steps it takes \(all) bytes, over the limit maxDecodedBytes of \(limits.maxDecodedBytes)")
    }
}
