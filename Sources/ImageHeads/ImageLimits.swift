import TintypeCore
import TintypeImages

/// How large a picture may be. Exceeding one is an error that names it, never a silent cut.
package struct ImageLimits: Sendable, Hashable {
    /// Of the file, in bytes; `--max-source` of a worker.
    package var maxBytes = 256 << 20
    /// Width × height, summed over the frames that are wanted; `--max-pixels` of a worker.
    package var maxPixels = PictureBounds.pixels.usual
    /// Of either side, of the source and of what is made from it; `--max-side`.
    package var maxSide = PictureBounds.side.usual
    /// Of an animation: those that are wanted; `--max-frames`. Others are not kept.
    package var maxFrames = PictureBounds.frames.usual
    /// Width × height, summed over the frames of an animation from its first to the last that is wanted: all of them are decoded on the way, which takes
    /// some seconds for so many.
    package static let maxPixelsPassed = 2_000_000_000
    /// What decoding may hold in memory at once, in bytes: width × height × 4, more where a pixel takes more, twice that when the file is progressive.
    package var maxDecodedBytes = Self.bytesPerPixel * PictureBounds.pixels.usual
    /// What decoding may hold for each pixel of the most there may be.
    private static let bytesPerPixel = 8
    /// Of the source: numbers of one pixel. Ink and transparency have five; what has more is no picture to look at.
    package static let maxBands = 5

    package init() {}

    /// - Parameter pixels: from which follows what decoding may hold.
    package init(bytes: Int, pixels: Int, side: Int, frames: Int) {
        (maxBytes, maxPixels, maxSide, maxFrames) = (bytes, pixels, side, frames)
        maxDecodedBytes = Self.bytesPerPixel * pixels
    }

    /// Checks one frame of what a file claims.
    /// - Throws: `PictureFailure` naming the limit, or `badImageData` when a side is zero.
    package func check(_ header: ImageHeader) throws(PictureFailure) {
        guard header.width > 0, header.height > 0 else { throw PictureFailure(.badImageData, .decode, "the picture has no size") }
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
