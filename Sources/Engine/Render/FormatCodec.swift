import ImageHeads
package import TintypeImages

/// How one format is opened and written: one row each. `FormatTraits` holds the facts about the format itself.
struct FormatCodec: Sendable {
    /// libvips' typed loader; nil for formats that it never opens.
    var loader: String?
    /// The libvips class that is blocked as untrusted, and unblocked if the operator names the format.
    var blocked: String?
    /// Whether `Bitmaps` reads the format in place of libvips.
    var isReadHere = false
    /// libvips' saver; nil for formats that are never written.
    var saver: String?
    /// Sets the saver's options from the request.
    var configure: @Sendable (_ call: consuming VipsOperation, _ encoder: PictureEncoder) -> VipsOperation = { call, _ in call }
    /// Whether the codec of a source has changed the pixels.
    var isLossy: @Sendable (_ source: UnsafeRawBufferPointer) -> Bool = { _ in false }
    /// Whether the encoder is so slow that the clock is checked during encoding.
    var isSlow = false
    /// The header field with the number of the picture that a file wants shown.
    var primaryPage: String?
    /// Whether decoding all pixels at once is faster than decoding line by line.
    var isReadWhole = false
    /// Whether the lossless mode is exact.
    var isExactWithoutLoss = true
}

extension FormatCodec {
    static let jpeg = FormatCodec(
        loader: "jpegload_buffer", saver: "jpegsave_buffer",
        configure: { call, encoder in
            call.set("Q", encoder.quality).set("optimize-coding", true).set("interlace", encoder.output.options.isProgressive)
                .set("subsample-mode", encoder.subsampling)
        }, isLossy: { _ in true })

    static let png = FormatCodec(
        loader: "pngload_buffer", saver: "pngsave_buffer",
        configure: { call, encoder in
            let call = call.set("compression", encoder.effort).set("interlace", encoder.output.options.isProgressive)
            // For palette numbers, neighbors predict nothing, so no filter is used.
            return encoder.output.options.isPalette
                ? call.set("palette", true).set("Q", encoder.quality) : call.set("filter", allFilters)
        }, isReadWhole: true)

    /// VIPS_FOREIGN_PNG_FILTER_ALL: the best filter for each line. libvips uses none by default, and files of photos would be a third larger.
    private static let allFilters = 0xf8

    static let webp = FormatCodec(
        loader: "webpload_buffer", saver: "webpsave_buffer",
        configure: { call, encoder in
            call.set("Q", encoder.quality).set("lossless", encoder.output.options.isLossless).set("effort", encoder.effort)
        }, isLossy: { WebPHeader.isLossy(ByteReader(bytes: $0)) })

    static let avif = heif(compression: 4)
    static let heif = heif(compression: 1)

    /// - Parameter compression: VipsForeignHeifCompression.
    private static func heif(compression: Int) -> FormatCodec {
        FormatCodec(
            loader: "heifload_buffer", saver: "heifsave_buffer",
            configure: { call, encoder in
                // 8 bits by default, because 8.14 would choose 12 for some sources.
                call.set("compression", compression).set("bitdepth", encoder.output.options.bitDepth(in: encoder.output.format) ?? 8).set("Q", encoder.quality)
                    .set("lossless", encoder.output.options.isLossless).set("effort", encoder.effort)
                    .set("subsample-mode", encoder.output.options.isLossless ? PictureEncoder.fullColour : encoder.subsampling)
            }, isLossy: { _ in true }, isSlow: true, primaryPage: "heif-primary", isReadWhole: true,
            // Before 8.15.3 libvips lets libheif convert the colors, and the conversion is rounded.
            isExactWithoutLoss: VipsRuntime.isAtLeast(8, 15, 3))
    }

    static let gif = FormatCodec(isReadHere: true, saver: "gifsave_buffer", configure: { call, encoder in call.set("effort", encoder.effort) })

    /// Lossless: deflate over the differences of neighbors.
    static let tiff = FormatCodec(
        loader: "tiffload_buffer", saver: "tiffsave_buffer", configure: { call, _ in call.set("compression", 2).set("predictor", 2) },
        isReadWhole: true)

    static let jxl = FormatCodec(
        loader: "jxlload_buffer", saver: "jxlsave_buffer",
        configure: { call, encoder in
            call.set("Q", max(minJXL, encoder.quality)).set("lossless", encoder.output.options.isLossless).set("effort", encoder.effort)
        }, isLossy: { _ in true }, isSlow: true, isReadWhole: true)

    /// The lowest quality for libvips 8.14, which turns lower ones into a distance beyond libjxl's limit of 25. The distance then stays 1: a quality of 90.
    private static let minJXL = 5

    static let jp2 = FormatCodec(loader: "jp2kload_buffer", isLossy: { _ in true }, isReadWhole: true)
    static let svg = FormatCodec(loader: "svgload_buffer", blocked: "VipsForeignLoadSvg")
    static let pdf = FormatCodec(loader: "pdfload_buffer", blocked: "VipsForeignLoadPdf")
    static let bmp = FormatCodec(isReadHere: true, isReadWhole: true)
    static let ico = FormatCodec(isReadHere: true, primaryPage: "icon-primary", isReadWhole: true)

    /// A RAW file, which is opened as the JPEG in it.
    static let raw = FormatCodec(loader: "jpegload_buffer", isLossy: { _ in true })

    /// A format that is known by name only.
    static let none = FormatCodec()
}

extension ImageFormat {
    var codec: FormatCodec {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .webp: .webp
        case .avif: .avif
        case .heif: .heif
        case .gif: .gif
        case .tiff: .tiff
        case .jxl: .jxl
        case .bmp, .xbm: .bmp
        case .ico, .icns: .ico
        case .raw: .raw
        case .jp2: .jp2
        case .svg: .svg
        case .pdf: .pdf
        case .psd: .none
        }
    }

    /// The libvips class to unblock for the format (`VipsRuntime.unblock`), if the operator names it.
    package var blockedClass: String? { codec.blocked }
    /// libvips' typed loader; nil for formats that it never opens.
    var loader: String? { codec.loader }
    /// libvips' saver; nil for formats that are never written.
    var saver: String? { codec.saver }
    var isExactWithoutLoss: Bool { codec.isExactWithoutLoss }
    /// Whether libheif can write 10 bits. libheif 1.15 asks libaom for a wrong profile, and libaom aborts. Systems with libvips 8.15 have a later one.
    /// `AVIFWriter` can always, but writes no metadata.
    var writesAllOfTenBits: Bool { VipsRuntime.isAtLeast(8, 15) }
}
