import ImageHeads
import PNG
package import TintypeImages

/// An encoder for one picture. `CarriedMetadata` has chosen the metadata before.
struct PictureEncoder {
    var output: PictureOutput
    /// Whether libpng writes every PNG.
    var isLibpngUsed = false
    /// The gain map behind the file; nil: none.
    var gainMap: GainMapFile?
    /// The colors of an HDR picture, which the file states; nil: SDR.
    var colors: CodedColors?
    /// Called between frames that are written one by one, with the progress, 0…1; false stops the encoder.
    var goesOn: (Double) -> Bool = { _ in true }

    /// Converts the picture to a form that the format can hold: bits and transparency.
    /// - Parameter isMoving: whether the picture is one of several frames.
    func prepare(_ image: VipsImage, isMoving: Bool) throws(VipsError) -> VipsImage {
        var image = image
        let isPalette = output.format == .png && output.options.isPalette
        if output.colors != nil || output.options.bitDepth(in: output.format) != nil {
            image = try ColorStep.sixteenBit(image)
        } else if !output.format.holdsSixteenBits || isPalette || isMoving {
            image = try ColorStep.eightBit(image)
        }
        if output.options.keepsProfile(in: output.format) { image = try ColorStep.fittingProfile(image) }
        if !output.format.holdsAlpha { image = try ColorStep.flatten(image, output.options.background ?? .white) }
        return image
    }

    func encode(_ image: VipsImage) throws(VipsError) -> VipsBytes {
        var bytes = try written(image)
        if output.format == .png, let colors { bytes = HDRComposition.stated(colors, in: bytes) }
        if let side = output.options.thumbnail(in: output.format) { bytes = try EmbeddedThumbnail.put(small(image, side), into: bytes) }
        return gainMap?.join(to: bytes) ?? bytes
    }

    /// Returns the thumbnail for the picture's EXIF.
    private func small(_ image: VipsImage, _ side: Int) throws(VipsError) -> VipsBytes {
        let factor = min(1, Double(side) / Double(max(image.width, image.height)))
        let size = PictureSize(max(1, Int(Double(image.width) * factor)), max(1, Int(Double(image.height) * factor)))
        let small = try factor < 1 ? ResizeStep(from: image.size, to: size).apply(to: image).computed() : image
        // A noisy thumbnail needs a lower quality to fit into a segment.
        for quality in [70, 40] {
            let bytes = try Self.bare(small, quality)
            if bytes.count <= EmbeddedThumbnail.mostBytes { return bytes }
        }
        return try Self.bare(small, 10)
    }

    private static func bare(_ image: VipsImage, _ quality: Int) throws(VipsError) -> VipsBytes {
        try VipsOperation("jpegsave_buffer").set("in", image).set("Q", quality).set("strip", true).bytes()
    }

    private func written(_ image: VipsImage) throws(VipsError) -> VipsBytes {
        let codec = output.format.codec
        guard let saver = codec.saver else {
            throw VipsError(operation: "encode", text: "\(output.format.rawValue) cannot be written here")
        }
        if output.format == .png, image.pages > 1 { return try movingPNG(image) }
        if output.format == .avif, image.pages > 1 { return try movingAVIF(image) }
        if let bytes = try plainPNG(image) { return bytes }
        if let bytes = try plainAVIF(image) { return bytes }
        var call = try VipsOperation(saver).set("in", image)
        // Savers add an EXIF block if there is none. They are told not to, and an EXIF block that they write all the same is removed afterwards.
        if call.has("keep") {
            // The name of `strip` since 8.15.
            if !CarriedMetadata.isCarryingEXIF(image) { call = call.set("keep", CarriedMetadata.isCarrying(image) ? Self.allButEXIF : 0) }
        } else if !CarriedMetadata.isCarrying(image) {
            call = call.set("strip", true)
        }
        call = codec.configure(call, self)
        var bytes = try call.bytes()
        if output.format == .avif, bytes.withBytes({ HEIFMeta(ByteReader(bytes: $0))?.isHollow ?? false }) {
            // libheif 1.15 does not notice that libaom has failed.
            throw VipsError(operation: saver, text: "the encoder has made no picture, for which it probably had no memory")
        }
        if output.format == .webp { try AnimatedWebP.showThrough(bytes, image) }
        if image.density == nil { bytes = codec.withoutDensity(bytes) }
        if CarriedMetadata.isCarryingEXIF(image) { return bytes }
        let plain = codec.withoutEXIF(bytes)
        // Without EXIF libvips leaves out the pixel density.
        return output.format == .jpeg ? JPEGDensity(image).put(into: plain) : plain
    }

    /// XMP, IPTC, profiles and others, as flags of VipsForeignKeep.
    private static let allButEXIF = 2 | 4 | 8 | 16

    /// Encodes a PNG without metadata and profile by libdeflate; nil if libpng has to do it.
    private func plainPNG(_ image: VipsImage) throws(VipsError) -> VipsBytes? {
        let isColor = image.colors == .sRGB && [3, 4].contains(image.bands)
        guard output.format == .png, !isLibpngUsed, !output.options.isPalette, !output.options.isProgressive, image.format == .uint8,
            image.byteCount <= PNGFile.mostBytes,
            isColor || image.colors == .gray && [1, 2].contains(image.bands), !CarriedMetadata.isCarrying(image)
        else { return nil }
        let file = PNGFile(width: image.width, height: image.height, channels: image.bands, density: image.density)
        return try image.withSamples { file.encode($0, effort: effort) }.map { VipsBytes(adopting: $0) }
    }

    /// Encodes a lossy AVIF without metadata and profile by libaom; nil if libheif has to do it.
    private func plainAVIF(_ image: VipsImage) throws(VipsError) -> VipsBytes? {
        guard output.format == .avif, !output.options.isLossless else { return nil }
        guard AVIFWriter.takes(image), !CarriedMetadata.isCarrying(image) else {
            guard colors != nil || output.options.bitDepth(in: output.format) == 10 && !output.format.writesAllOfTenBits else { return nil }
            // libaom would end the process.
            throw VipsError(operation: "avif", text: "a picture of \(image.bands) bands, or with metadata, cannot be written with 10 bits here")
        }
        // Large pictures are otherwise never whole in memory, but libaom needs all of one.
        let file = try avifWriter.file(image.byteCount > PictureRun.mostInMemory ? image.computed() : image)
        guard let memory = VipsBytes(copying: file) else { throw VipsError(operation: "avif", text: "no memory") }
        return memory
    }

    var avifWriter: AVIFWriter {
        AVIFWriter(
            quality: quality, effort: effort, depth: output.options.bitDepth(in: output.format) ?? 8, isFullColor: output.options.subsampling == .none,
            colors: colors ?? AVIFFile.sRGB)
    }

    /// VIPS_FOREIGN_SUBSAMPLE_OFF.
    static let fullColor = 2
    var subsampling: Int { output.options.subsampling == .none ? Self.fullColor : 1 }

    var quality: Int { output.options.quality(in: output.format) ?? 0 }

    var effort: Int { output.options.effort(in: output.format) ?? 0 }
}

/// A finished result, still in libvips' memory.
package struct EncodedPicture {
    package let bytes: VipsBytes
    package let format: ImageFormat
    package let size: PictureSize
    package let frames: Int
    /// The quality given to a lossy encoder.
    package let quality: Int?
}
