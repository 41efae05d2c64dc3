import ImageHeads
import TintypeImages

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
