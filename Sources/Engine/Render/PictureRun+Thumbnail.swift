import ImageHeads
import TintypeImages

extension PictureRun {
    /// Calls `body` with the run on the wanted picture, which is the thumbnail or the picture itself, and with the rendition of that one.
    /// - Throws: what `body` throws, and `limitExceeded` for a thumbnail beyond the limits.
    func wanted<Made>(
        by rendition: Rendition, _ body: (PictureRun, Rendition) throws(PictureFailure) -> Made
    ) throws(PictureFailure) -> Made {
        guard rendition.decode.isThumbnail else { return try body(self, rendition) }
        var own = rendition
        own.decode.isThumbnail = false
        guard let run = try thumbnail() else { return try body(self, own) }
        defer { timings += run.timings }
        return try body(run, own)
    }

    /// Returns a run on the thumbnail in the file (`decode.thumbnail`), within the same limits; nil if the file has none.
    ///
    /// Facts about the source stay those of the picture. The thumbnail does not go through the planes, because in a HEIF they are read from the first picture.
    /// - Throws: `limitExceeded` for a thumbnail beyond the limits.
    private func thumbnail() throws(PictureFailure) -> PictureRun? {
        guard let loader = try loader.format.codec.thumbnail(loader, header.orientation, limits) else { return nil }
        let run = try PictureRun(loader, container, limits: limits, clock: clock, isLibpngUsed: isLibpngUsed, encoders: encoders)
        (run.readsFirst, run.formats) = (readsFirst, formats)
        return run
    }
}
