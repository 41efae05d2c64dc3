import ImageHeads
import TintypeImages

/// The other pictures that operations need. Each is opened on first use and kept for the following frames. Belongs to the thread that
/// works on the picture; the bytes must stay valid as long.
final class PictureLayers {
    private let sources: [Layer: (number: Int, bytes: UnsafeRawBufferPointer)]
    private var limits: ImageLimits
    private let formats: Set<ImageFormat>
    private let clock: PictureClock
    private var images: [Wanted: VipsImage] = [:]
    /// The bytes of these pictures. Together they may take no more than one decoded picture.
    private var held = 0

    private struct Wanted: Hashable {
        let layer: Layer
        let profile: [UInt8]?
    }

    /// - Parameters:
    ///   - bytes: the bytes of each layer, in the order of `layers`.
    ///   - formats: the formats that are decoded.
    init(_ layers: [Layer], _ bytes: [UnsafeRawBufferPointer], limits: ImageLimits, formats: Set<ImageFormat>, clock: PictureClock) {
        sources = Dictionary(uniqueKeysWithValues: zip(layers, zip(1..., bytes).map { (number: $0, bytes: $1) }))
        (self.limits, self.formats, self.clock) = (limits, formats, clock)
        // `decode` applies to the source only.
        self.limits.shrinks = false
    }

    /// Returns a picture upright, in memory, in sRGB or gray.
    /// - Parameter profile: the color space to convert to instead.
    /// - Throws: `PictureFailure` of phase transform, because the source is not the broken picture.
    func image(_ layer: Layer, in profile: [UInt8]?) throws(PictureFailure) -> VipsImage {
        let wanted = Wanted(layer: layer, profile: profile)
        if let image = images[wanted] { return image }
        let image = try image(layer, [], in: profile)
        images[wanted] = image
        held += image.byteCount
        return image
    }

    /// Returns a picture after some steps, without keeping it: each frame of an animation is used once.
    func image(_ layer: Layer, _ operations: [AnyOperation], in profile: [UInt8]?) throws(PictureFailure) -> VipsImage {
        guard let (number, bytes) = sources[layer] else { throw PictureFailure(.transformFailed, .transform, "another picture is missing") }
        do throws(PictureFailure) {
            return try clock.holding(.transform) { () throws(PictureFailure) in
                var guarding = HeaderGuard(limits: limits)
                guarding.enabled = formats
                let format = try guarding.check(bytes)
                let run = try PictureRun(bytes, format: format, limits: limits, clock: clock)
                if operations.isEmpty { try check(run.facts) }
                return try run.picture(operations, in: profile)
            }
        } catch {
            if clock.stopped != nil { throw error }
            // The URL is not known here, so the number names the picture.
            throw PictureFailure(.transformFailed, .transform, "other picture \(number) of \(sources.count): \(error.message)")
        }
    }

    /// Checks that there is room for one more picture besides the held ones.
    private func check(_ facts: ImageProperties) throws(PictureFailure) {
        let all = held + facts.size.width * facts.size.height * facts.bytesPerPixel
        guard all > limits.maxDecodedBytes, held > 0 else { return }
        throw PictureFailure(
            .transformFailed, .transform,
            "with the pictures of other steps it takes \(all) bytes, over the limit maxDecodedBytes of \(limits.maxDecodedBytes)")
    }
}
