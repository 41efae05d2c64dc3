package import Shared

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

    package init(format: ImageFormat, size: PictureSize) {
        self.format = format
        self.size = size
    }
}
