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
        guard let loader = try loader.thumbnail(orientation: header.orientation, within: limits) else { return nil }
        let run = try PictureRun(loader, container, limits: limits, clock: clock, isLibpngUsed: isLibpngUsed, encoders: encoders)
        (run.readsFirst, run.formats) = (readsFirst, formats)
        return run
    }
}

extension PictureLoader {
    /// Returns the loader of the thumbnail; nil if the file has none.
    /// - Parameter orientation: that of the picture, which the thumbnail of a JPEG shares.
    fileprivate func thumbnail(orientation: Int, within limits: ImageLimits) throws(PictureFailure) -> PictureLoader? {
        switch format {
        case .jpeg:
            guard let found = EXIFThumbnail(source) else { return nil }
            try limits.check(found.header)
            let block = UnsafeRawBufferPointer(rebasing: source[found.block])
            return PictureLoader(
                source: UnsafeRawBufferPointer(rebasing: source[found.picture]), format: .jpeg, around: OuterFile(tags: block, orientation: orientation))
        case .avif, .heif:
            // libheif finds the thumbnails of unusual files too, and shows the picture if there are none.
            guard HEIFMeta(ByteReader(bytes: source))?.hasThumbnails ?? true else { return nil }
            var loader = self
            loader.showsThumbnail = true
            return loader
        case .png, .webp, .gif, .tiff, .jxl, .svg, .pdf, .bmp, .ico, .icns, .xbm, .jp2, .psd, .raw: return nil
        }
    }
}
