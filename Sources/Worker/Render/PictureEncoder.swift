import PNG
import TintypeImages

/// Writes a picture: one function a format. What it says of itself was chosen before (`CarriedHeader`).
struct PictureEncoder {
    let output: PictureOutput
    /// For every PNG.
    var isLibpngUsed = false

    /// The picture as the format can hold it: bits, transparency.
    func prepare(_ image: VipsImage) throws(VipsError) -> VipsImage {
        var image = image
        let isPalette = output.format == .png && output.options.isPalette
        if !output.format.holdsSixteenBits || isPalette { image = try ColourStep.eightBit(image) }
        if output.options.keepsProfile(in: output.format) { image = try ColourStep.fittingProfile(image) }
        if !output.format.holdsAlpha { image = try ColourStep.flatten(image, output.options.background ?? .white) }
        return image
    }

    func encode(_ image: VipsImage) throws(VipsError) -> VipsBytes {
        guard let saver = output.format.saver else {
            throw VipsError(operation: "encode", text: "\(output.format.rawValue) is not written here")
        }
        if let bytes = try plainPNG(image) { return bytes }
        var call = try VipsOperation(saver).set("in", image)
        // Savers make up an EXIF block where there is none. They are told not to, and what they write of it all the same is taken out behind them.
        if call.has("keep") {
            // As `strip` is called since 8.15.
            if !CarriedHeader.isCarryingEXIF(image) { call = call.set("keep", CarriedHeader.isCarrying(image) ? Self.allButEXIF : 0) }
        } else if !CarriedHeader.isCarrying(image) {
            call = call.set("strip", true)
        }
        switch output.format {
        case .jpeg: call = jpeg(call)
        case .png: call = png(call)
        case .webp: call = webp(call)
        case .avif: call = av1(call)
        case .heif: call = hevc(call)
        case .gif: call = gif(call)
        case .tiff: call = tiff(call)
        case .jxl: call = jxl(call)
        default: break
        }
        var bytes = try call.bytes()
        if output.format == .webp { try AnimatedWebP.showThrough(bytes, image) }
        if image.density == nil { bytes = PlainFile.withoutDensity(bytes, output.format) }
        if CarriedHeader.isCarryingEXIF(image) { return bytes }
        let plain = PlainFile.of(bytes, output.format)
        // Without EXIF libvips leaves out what would say how dense the pixels are.
        return output.format == .jpeg ? JPEGDensity(image).put(into: plain) : plain
    }

    /// XMP, IPTC, profiles and the rest, of VipsForeignKeep.
    private static let allButEXIF = 2 | 4 | 8 | 16

    private func jpeg(_ call: consuming VipsOperation) -> VipsOperation {
        call.set("Q", quality).set("optimize-coding", true).set("interlace", output.options.isProgressive).set("subsample-mode", subsampling)
    }

    /// A PNG without metadata and profile, packed by libdeflate; nil where libpng has to.
    private func plainPNG(_ image: VipsImage) throws(VipsError) -> VipsBytes? {
        let isColour = image.colours == .sRGB && [3, 4].contains(image.bands)
        guard output.format == .png, !isLibpngUsed, !output.options.isPalette, !output.options.isProgressive, image.format == .uint8,
            image.byteCount <= PNGFile.mostBytes,
            isColour || image.colours == .grey && [1, 2].contains(image.bands), !CarriedHeader.isCarrying(image)
        else { return nil }
        let file = PNGFile(width: image.width, height: image.height, channels: image.bands, density: image.density)
        return try image.withSamples { file.encode($0, effort: effort) }.map { VipsBytes(adopting: $0) }
    }

    private func png(_ call: consuming VipsOperation) -> VipsOperation {
        let call = call.set("compression", effort).set("interlace", output.options.isProgressive)
        // Of a palette's numbers neighbours say nothing.
        return output.options.isPalette ? call.set("palette", true).set("Q", quality) : call.set("filter", Self.allFilters)
    }

    /// VIPS_FOREIGN_PNG_FILTER_ALL: the best one for each line. libvips uses none unless it is told to: files of photos would be a third larger.
    private static let allFilters = 0xf8

    private func webp(_ call: consuming VipsOperation) -> VipsOperation {
        call.set("Q", quality).set("lossless", output.options.isLossless).set("effort", effort)
    }

    private func av1(_ call: consuming VipsOperation) -> VipsOperation { heif(call.set("compression", 4)) }

    private func hevc(_ call: consuming VipsOperation) -> VipsOperation { heif(call.set("compression", 1)) }

    private func heif(_ call: consuming VipsOperation) -> VipsOperation {
        // 8 bits, for 8.14 would choose 12 for some sources.
        call.set("bitdepth", 8).set("Q", quality).set("lossless", output.options.isLossless).set("effort", effort)
            .set("subsample-mode", output.options.isLossless ? Self.fullColour : subsampling)
    }

    private func gif(_ call: consuming VipsOperation) -> VipsOperation { call.set("effort", effort) }

    /// Without loss: deflate over the differences of neighbours.
    private func tiff(_ call: consuming VipsOperation) -> VipsOperation { call.set("compression", 2).set("predictor", 2) }

    private func jxl(_ call: consuming VipsOperation) -> VipsOperation {
        call.set("Q", max(Self.leastJXL, quality)).set("lossless", output.options.isLossless).set("effort", effort)
    }

    /// Of lower ones libvips 8.14 makes a distance beyond the 25 that libjxl takes, which is then left at 1: a quality of 90.
    private static let leastJXL = 5

    private static let fullColour = 2
    private var subsampling: Int { output.options.subsampling == .none ? Self.fullColour : 1 }

    private var quality: Int { output.options.quality(in: output.format) ?? 0 }

    private var effort: Int { output.options.effort(in: output.format) ?? 0 }
}
