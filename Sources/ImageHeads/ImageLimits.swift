import TintypeCore
import TintypeImages

/// The limits of a picture. Exceeding one is an error that names it, never a silent cut.
package struct ImageLimits: Sendable, Hashable {
    /// The most bytes of the file; `--max-source` of a worker.
    package var maxBytes = 256 << 20
    /// The most pixels: width × height, summed over the wanted frames; `--max-pixels` of a worker.
    package var maxPixels = PictureBounds.pixels.usual
    /// The longest side, of the source and of results; `--max-side`.
    package var maxSide = PictureBounds.side.usual
    /// The most wanted frames of an animation; `--max-frames`. Other frames are not kept.
    package var maxFrames = PictureBounds.frames.usual
    /// The most pixels that are decoded on the way: width × height, summed over the frames from the first to the last wanted one. That many take some
    /// seconds.
    package static let maxPixelsPassed = 2_000_000_000
    /// The most bytes in memory during decoding: width × height × 4, more for larger pixels, and twice that for a progressive file.
    package var maxDecodedBytes = Self.bytesPerPixel * PictureBounds.pixels.usual
    /// The bytes in memory for each pixel of the limit.
    private static let bytesPerPixel = 8
    /// Whether a baseline JPEG may exceed the limits, because it is scaled down while it is read (`decode.limitBytes`). Only a few of its lines are in memory.
    package var shrinks = false
    /// The most numbers of one pixel of the source. CMYK with transparency has five; a file with more is no picture to look at.
    package static let maxBands = 5

    package init() {}

    /// - Parameter pixels: the most pixels, from which the memory limit follows.
    package init(bytes: Int, pixels: Int, side: Int, frames: Int) {
        (maxBytes, maxPixels, maxSide, maxFrames) = (bytes, pixels, side, frames)
        maxDecodedBytes = Self.bytesPerPixel * pixels
    }

    /// Checks one frame of a header.
    /// - Throws: `PictureFailure` that names the limit, or `badImageData` if a side is zero.
    package func check(_ header: ImageHeader) throws(PictureFailure) {
        guard header.width > 0, header.height > 0 else { throw PictureFailure(.badImageData, .decode, "the picture has no size") }
        let header = shrinks ? header.shrunk : header
        try check(width: header.width, height: header.height, frames: 1)
        let decoded = header.width * header.height * header.bytesPerPixel * (header.progressive ? 2 : 1)
        if decoded > maxDecodedBytes { throw .limit("maxDecodedBytes", decoded, maxDecodedBytes) }
    }

    /// Checks a size and a number of frames, of the source or of a result.
    package func check(width: Int, height: Int, frames: Int, phase: PictureFailure.Phase = .decode) throws(PictureFailure) {
        let side = max(width, height)
        if side > maxSide { throw .limit("maxSide", side, maxSide, phase) }
        if frames > maxFrames { throw .limit("maxFrames", frames, maxFrames, phase) }
        let pixels = width * height * frames
        if pixels > maxPixels { throw .limit("maxPixels", pixels, maxPixels, phase) }
    }
}
