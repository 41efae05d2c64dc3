import ImageHeads

extension ImageLimits {
    /// Checks the decoder's facts about one frame.
    /// - Throws: as `check(_:)` of a header.
    func check(_ facts: SourceFacts) throws(PictureFailure) {
        if facts.bands > Self.maxBands { throw .limit("maxBands", facts.bands, Self.maxBands) }
        try check(ImageHeader(format: facts.format, width: facts.size.width, height: facts.size.height, bytesPerPixel: max(4, facts.bytesPerPixel)))
    }
}
