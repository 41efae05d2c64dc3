package import ImageHeads
package import TintypeImages

/// The facts of a picture's header, as its decoder has read them.
package struct ImageProperties: Sendable, Hashable {
    package var format: ImageFormat
    /// The size of one frame as it is stored in the file.
    package var size: PictureSize
    package var frames = 1
    package var hasAlpha = false
    package var isSixteenBit = false
    /// The numbers of one pixel, and their bytes as the decoder delivers them.
    package var bands = 3
    package var bytesPerPixel = 3
    /// EXIF orientation, 1…8.
    package var orientation = 1
    /// The page that a viewer shows first.
    package var primaryPage = 0
    /// The planes of a JPEG, an AVIF or a WebP that can be used as they are, because the colors are sRGB. It is nil if nobody asked.
    package var sampling: PlaneSampling?
    /// The colors of an HDR picture, as a file that keeps them states them; nil: SDR.
    package var highRange: CodedColors?

    /// Whether the pictures of an AVIF are frames.
    package var isSequence = false

    /// Whether the pictures are frames, and no pages. Most PNGs have only one.
    var mayMove: Bool { format.isAnimatable && (format != .png || frames > 1) && (format != .avif || isSequence) }

    /// Returns the index in the file of a requested page or frame: the one shown first, then the others in their order.
    /// - Throws: `transformFailed` for a page that does not exist.
    func number(of page: Int) throws(PictureFailure) -> Int {
        guard page < frames else {
            throw PictureFailure(.transformFailed, .decode, "there is no page \(page): the file has \(frames), counted from 0")
        }
        return page == 0 ? primaryPage : page <= primaryPage ? page - 1 : page
    }
}

extension ImageLimits {
    /// Checks the decoder's facts about one frame.
    /// - Throws: as `check(_:)` of a header.
    func check(_ facts: ImageProperties) throws(PictureFailure) {
        if facts.bands > Self.maxBands { throw .limit("maxBands", facts.bands, Self.maxBands) }
        try check(ImageHeader(format: facts.format, width: facts.size.width, height: facts.size.height, bytesPerPixel: max(4, facts.bytesPerPixel)))
    }

    /// Checks a number of frames. A source that is scaled down while it is read counts with the size that it becomes.
    func check(_ facts: ImageProperties, frames: Int) throws(PictureFailure) {
        guard !shrinks || facts.format != .jpeg else { return }
        try check(width: facts.size.width, height: facts.size.height, frames: frames)
    }

    /// Returns the size to which a source is first scaled down; nil if it stays as it is.
    /// - Parameter most: the bytes by `decode.limitBytes`. A source that may exceed these limits is scaled down to them too.
    func smaller(_ size: PictureSize, toBytes most: Int) -> PictureSize? {
        guard shrinks else { return size.scaled(toBytes: most) }
        var less = size.scaled(toBytes: min(most, 4 * maxPixels)) ?? size
        let side = max(less.width, less.height)
        if side > maxSide { less = PictureSize(max(1, less.width * maxSide / side), max(1, less.height * maxSide / side)) }
        return less == size ? nil : less
    }
}
