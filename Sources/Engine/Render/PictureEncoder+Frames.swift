import PNG
import TintypeImages

extension PictureEncoder {
    /// Encodes frames that lie below each other as an animated PNG, which libvips cannot write.
    /// - Parameter image: a picture of 8 bits, with its delays.
    func movingPNG(_ image: VipsImage) throws(VipsError) -> VipsBytes {
        let (count, delays, first) = try (image.pages, image.delays, image.frame(0))
        var encoder = APNGEncoder(
            width: first.width, height: first.height, channels: first.bands, plays: image.int("loop") ?? 0, effort: effort, front: try front(first))
        for number in 0..<count {
            guard goesOn(Double(number) / Double(count)) else { throw VipsError(operation: "pngsave", text: "it was stopped") }
            let frame = try number == 0 ? first : image.frame(number)
            let isTaken = try frame.withSamples { encoder.add($0, delay: delays[number]) }
            guard isTaken else { throw VipsError(operation: "pngsave", text: "frame \(number) could not be written") }
        }
        guard let file = encoder.finish() else { throw VipsError(operation: "pngsave", text: "there is no memory for the file") }
        return VipsBytes(adopting: file)
    }

    /// Encodes frames that lie below each other as an animated AVIF, which libheif 1.15 cannot write.
    /// - Parameter image: a picture with its delays, without metadata except for a profile.
    func movingAVIF(_ image: VipsImage) throws(VipsError) -> VipsBytes {
        guard AVIFWriter.takes(image) else { throw VipsError(operation: "avif", text: "frames of \(image.bands) bands cannot be written") }
        let file = try avifWriter.tracks(image, profile: image.bytes(ColorStep.profileField), goesOn: goesOn)
        guard let memory = VipsBytes(copying: file) else { throw VipsError(operation: "avif", text: "no memory") }
        return memory
    }

    /// Returns the chunks before the pixels, as libpng writes them for a still picture.
    private func front(_ frame: VipsImage) throws(VipsError) -> [UInt8] {
        guard CarriedMetadata.isCarrying(frame) else { return frame.density.map { PNGChunk.density(across: $0.across, down: $0.down) } ?? [] }
        var still = self
        (still.output.options.isPalette, still.output.options.isProgressive, still.output.options.effort) = (false, false, 1)
        let alone = try frame.withHeader { header in header.removeAll { ["page-height", "n-pages", "delay", "loop"].contains($0) } }
        return try still.encode(alone).withBytes { PNGChunk.front(of: $0) }
    }
}

extension VipsImage {
    /// Returns one of the frames that lie below each other, in memory.
    func frame(_ number: Int) throws(VipsError) -> VipsImage {
        try CropStep.apply(PictureWindow(x: 0, y: number * pageHeight, width: width, height: pageHeight), to: self).computed()
    }

    /// The milliseconds of each frame, by its header.
    var delays: [Int] {
        let said = ints("delay") ?? []
        return (0..<pages).map { said.indices.contains($0) ? said[$0] : PicturePlan.usualDelay }
    }
}
