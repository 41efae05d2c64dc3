import ImageHeads
package import TintypeImages

/// What a picture's header says once its decoder has read it.
package struct SourceFacts: Sendable, Hashable {
    package var format: ImageFormat
    /// Of one frame, as it lies in the file.
    package var size: PictureSize
    package var frames = 1
    package var hasAlpha = false
    package var isSixteenBit = false
    /// Numbers of one pixel, and their bytes as the decoder delivers them.
    package var bands = 3
    package var bytesPerPixel = 3
    /// EXIF orientation, 1…8.
    package var orientation = 1
    /// The page a viewer shows first.
    package var primaryPage = 0
    /// Of a JPEG or an AVIF whose planes may be taken as they are, because its colours are those of sRGB; nil where nobody asked.
    package var sampling: PlaneSampling?

    /// Whether its pictures are frames, and no pages. Most PNGs have but one.
    var mayMove: Bool { format.isAnimatable && (format != .png || frames > 1) }

    package init(format: ImageFormat, size: PictureSize) {
        self.format = format
        self.size = size
    }

    /// Where in the file a page or frame stands that is asked for: the one shown first, then the others in their order.
    /// - Throws: `transformFailed` for one that does not exist.
    func number(of page: Int) throws(PictureFailure) -> Int {
        guard page < frames else {
            throw PictureFailure(.transformFailed, .decode, "there is no page \(page): the file has \(frames), counted from 0")
        }
        return page == 0 ? primaryPage : page <= primaryPage ? page - 1 : page
    }
}
