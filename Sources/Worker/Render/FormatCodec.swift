import ImageHeads
import TintypeImages

/// How one format is opened and written: one row each. `FormatTraits` holds the facts about the format itself.
struct FormatCodec: Sendable {
    /// libvips' typed loader; nil for formats that it never opens.
    var loader: String?
    /// Whether `Bitmaps` reads it in place of libvips.
    var isReadHere = false
    /// libvips' saver; nil for formats that are never written.
    var saver: String?
    /// Gives the saver what was asked for.
    var configure: @Sendable (_ call: consuming VipsOperation, _ encoder: PictureEncoder) -> VipsOperation = { call, _ in call }
    /// Whether a source's codec has changed what it stores.
    var isLossy: @Sendable (_ source: UnsafeRawBufferPointer) -> Bool = { _ in false }
    /// Whether its encoder takes so long that the time is watched within.
    var isSlow = false
    /// The field of a header that says by number which of its pictures a file wants shown.
    var primaryPage: String?
    /// Whether all pixels at once are worth more than one line after the other.
    var isReadWhole = false
    /// Whether nothing is lost where that is asked for.
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
            // Neighbours say nothing about the numbers of a palette.
            return encoder.output.options.isPalette
                ? call.set("palette", true).set("Q", encoder.quality) : call.set("filter", allFilters)
        }, isReadWhole: true)

    /// VIPS_FOREIGN_PNG_FILTER_ALL: the best one for each line. libvips uses none unless it is told to: files of photos would be a third larger.
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
                // 8 bits, for 8.14 would choose 12 for some sources.
                call.set("compression", compression).set("bitdepth", 8).set("Q", encoder.quality)
                    .set("lossless", encoder.output.options.isLossless).set("effort", encoder.effort)
                    .set("subsample-mode", encoder.output.options.isLossless ? PictureEncoder.fullColour : encoder.subsampling)
            }, isLossy: { _ in true }, isSlow: true, primaryPage: "heif-primary", isReadWhole: true,
            // Before 8.15.3 libvips leaves libheif to mix the colours, and what is mixed is rounded.
            isExactWithoutLoss: VipsRuntime.isAtLeast(8, 15, 3))
    }

    static let gif = FormatCodec(
        loader: "gifload_buffer", saver: "gifsave_buffer", configure: { call, encoder in call.set("effort", encoder.effort) })

    /// Without loss: deflate over the differences of neighbours.
    static let tiff = FormatCodec(
        loader: "tiffload_buffer", saver: "tiffsave_buffer", configure: { call, _ in call.set("compression", 2).set("predictor", 2) },
        isReadWhole: true)

    static let jxl = FormatCodec(
        saver: "jxlsave_buffer",
        configure: { call, encoder in
            call.set("Q", max(leastJXL, encoder.quality)).set("lossless", encoder.output.options.isLossless).set("effort", encoder.effort)
        }, isSlow: true, isReadWhole: true)

    /// libvips 8.14 turns lower ones into a distance beyond the 25 that libjxl takes, which is then left at 1: a quality of 90.
    private static let leastJXL = 5

    static let bmp = FormatCodec(isReadHere: true, isReadWhole: true)
    static let ico = FormatCodec(isReadHere: true, primaryPage: "icon-primary", isReadWhole: true)

    /// Known by name only.
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
        case .bmp: .bmp
        case .ico: .ico
        case .svg, .pdf, .jp2, .psd: .none
        }
    }

    /// libvips' typed loader; nil for formats that it never opens.
    var loader: String? { codec.loader }
    /// libvips' saver; nil for formats that are never written.
    var saver: String? { codec.saver }
    var isExactWithoutLoss: Bool { codec.isExactWithoutLoss }
}
