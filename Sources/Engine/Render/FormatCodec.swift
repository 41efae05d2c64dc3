import ImageHeads
package import TintypeImages

/// How one format is opened and written: one row each. `FormatTraits` holds the facts about the format itself, and `FormatHead` reads its beginning.
struct FormatCodec: Sendable {
    // MARK: Opening

    /// libvips' typed loader; nil for formats that it never opens.
    var loader: String?
    /// The libvips class that is blocked as untrusted, and unblocked if the operator names the format.
    var blocked: String?
    /// Whether `Bitmaps` reads the format in place of libvips.
    var isReadHere = false
    /// Whether decoding all pixels at once is faster than decoding line by line.
    var isReadWhole = false
    /// The header field with the number of the picture that a file wants shown.
    var primaryPage: String?
    /// Whether the codec of a source has changed the pixels.
    var isLossy: @Sendable (_ source: UnsafeRawBufferPointer) -> Bool = { _ in false }
    /// The parts of a file that its decoder has to see in another form.
    var changes: @Sendable (_ file: UnsafeRawBufferPointer) -> [(place: Range<Int>, instead: [UInt8])] = { _ in [] }
    /// Corrects the header, or the pixels, where libvips misunderstands the file.
    var correct: @Sendable (_ loader: PictureLoader, _ image: VipsImage, _ plan: LoadPlan) throws(VipsError) -> VipsImage = { _, image, _ in image }
    /// Returns the loader of the thumbnail in the file; nil if there is none.
    /// - Parameter orientation: that of the picture.
    var thumbnail: @Sendable (_ loader: PictureLoader, _ orientation: Int, _ limits: ImageLimits) throws(PictureFailure) -> PictureLoader? = { _, _, _ in nil }
    /// Returns how the colors of a still, opaque picture are stored; nil if they have to go through libvips.
    var sampling: @Sendable (_ source: UnsafeRawBufferPointer) -> PlaneSampling? = { _ in nil }
    /// Lets the decoder do the coarse part of the first resize.
    var shrink: LoadShrink.Way = { plan, _, _, _, _ in plan }
    /// The first frame of a file that is still arriving.
    var firstFrame: FirstFrame?

    // MARK: Writing

    /// libvips' saver; nil for formats that are never written.
    var saver: String?
    /// Sets the saver's options from the request.
    var configure: @Sendable (_ call: consuming VipsOperation, _ encoder: PictureEncoder) -> VipsOperation = { call, _ in call }
    /// Whether the encoder is so slow that the clock is checked during encoding.
    var isSlow = false
    /// Whether the lossless mode is exact.
    var isExactWithoutLoss = true
    /// The bytes of memory that the encoder takes for each pixel; nil: a pixel process has enough for any picture. Measured by the largest pictures that
    /// libaom 3.6 and libjxl 0.7 made in 768 MiB.
    var memory: @Sendable (_ options: OutputOptions) -> Int? = { _ in nil }
    /// Removes EXIF that libvips has made up.
    var withoutEXIF: @Sendable (_ file: VipsBytes) -> VipsBytes = { $0 }
    /// Removes a pixel density that libvips has made up.
    var withoutDensity: @Sendable (_ file: VipsBytes) -> VipsBytes = { $0 }
}

extension ImageFormat {
    var codec: FormatCodec {
        switch self {
        case .jpeg:
            FormatCodec(
                loader: "jpegload_buffer", isLossy: { _ in true }, correct: { loader, image, _ throws(VipsError) in try loader.taken(image) },
                thumbnail: { loader, orientation, limits throws(PictureFailure) in try loader.thumbnailInEXIF(orientation, limits) },
                sampling: JPEGPlanes.sampling, shrink: LoadShrink.jpeg, saver: "jpegsave_buffer",
                configure: { call, encoder in
                    call.set("Q", encoder.quality).set("optimize-coding", true).set("interlace", encoder.output.options.isProgressive)
                        .set("subsample-mode", encoder.subsampling)
                }, withoutEXIF: MetadataStripper.jpeg)
        case .png:
            FormatCodec(
                loader: "pngload_buffer", isReadWhole: true, correct: { loader, image, _ throws(VipsError) in try loader.coded(image) }, firstFrame: .png,
                saver: "pngsave_buffer",
                configure: { call, encoder in
                    let call = call.set("compression", encoder.effort).set("interlace", encoder.output.options.isProgressive)
                    // For palette numbers, neighbors predict nothing, so no filter is used.
                    return encoder.output.options.isPalette
                        ? call.set("palette", true).set("Q", encoder.quality) : call.set("filter", FormatCodec.allFilters)
                }, withoutDensity: MetadataStripper.png)
        case .webp:
            FormatCodec(
                loader: "webpload_buffer", isLossy: { WebPHeader.isLossy(ByteReader(bytes: $0)) }, sampling: WebPPlanes.sampling, shrink: LoadShrink.webp,
                firstFrame: .webp, saver: "webpsave_buffer",
                configure: { call, encoder in
                    call.set("Q", encoder.quality).set("lossless", encoder.output.options.isLossless).set("effort", encoder.effort)
                }, withoutEXIF: MetadataStripper.webp)
        case .avif: FormatCodec.heif(compression: 4)
        case .heif: FormatCodec.heif(compression: 1)
        case .gif: FormatCodec(isReadHere: true, firstFrame: .gif, saver: "gifsave_buffer", configure: { call, encoder in call.set("effort", encoder.effort) })
        case .tiff:
            // Lossless: deflate over the differences of neighbors.
            FormatCodec(
                loader: "tiffload_buffer", isReadWhole: true, correct: { loader, image, plan throws(VipsError) in try loader.signed(image, page: plan.page) },
                saver: "tiffsave_buffer", configure: { call, _ in call.set("compression", 2).set("predictor", 2) }, withoutDensity: MetadataStripper.tiff)
        case .jxl:
            FormatCodec(
                loader: "jxlload_buffer", isReadWhole: true, isLossy: { _ in true }, saver: "jxlsave_buffer",
                configure: { call, encoder in
                    call.set("Q", max(FormatCodec.minJXL, encoder.quality)).set("lossless", encoder.output.options.isLossless).set("effort", encoder.effort)
                }, isSlow: true, memory: { _ in 50 })
        case .jp2: FormatCodec(loader: "jp2kload_buffer", isReadWhole: true, isLossy: { _ in true })
        case .svg: FormatCodec(loader: "svgload_buffer", blocked: "VipsForeignLoadSvg", changes: { SVGSize.changes(of: $0) + SVGUnits.changes(of: $0) })
        case .pdf: FormatCodec(loader: "pdfload_buffer", blocked: "VipsForeignLoadPdf")
        case .bmp, .xbm: FormatCodec(isReadHere: true, isReadWhole: true)
        case .ico, .icns: FormatCodec(isReadHere: true, isReadWhole: true, primaryPage: "icon-primary")
        // It is opened as the JPEG in it.
        case .raw: FormatCodec(loader: "jpegload_buffer", isLossy: { _ in true })
        case .psd: FormatCodec()
        }
    }

    /// The libvips class to unblock for the format (`VipsRuntime.unblock`), if the operator names it.
    package var blockedClass: String? { codec.blocked }
    /// Whether libheif can write 10 bits. libheif 1.15 asks libaom for a wrong profile, and libaom aborts. Systems with libvips 8.15 have a later one.
    /// `AVIFWriter` can always, but writes no metadata.
    var writesAllOfTenBits: Bool { VipsRuntime.isAtLeast(8, 15) }
}

extension FormatCodec {
    /// VIPS_FOREIGN_PNG_FILTER_ALL: the best filter for each line. libvips uses none by default, and files of photos would be a third larger.
    fileprivate static let allFilters = 0xf8

    /// The lowest quality for libvips 8.14, which turns lower ones into a distance beyond libjxl's limit of 25. The distance then stays 1: a quality of 90.
    fileprivate static let minJXL = 5

    /// AVIF and HEIF, which differ in their codec.
    /// - Parameter compression: VipsForeignHeifCompression.
    fileprivate static func heif(compression: Int) -> FormatCodec {
        let isAVIF = compression == 4
        return FormatCodec(
            loader: "heifload_buffer", isReadWhole: true, primaryPage: "heif-primary", isLossy: { _ in true },
            changes: { HEIFMeta(ByteReader(bytes: $0))?.settled() ?? [] },
            correct: { loader, image, plan throws(VipsError) in try loader.described(loader.seen(image, plan)) },
            thumbnail: { loader, _, _ in loader.thumbnailInHEIF }, sampling: { isAVIF ? AVIFCoding(ByteReader(bytes: $0))?.sampling : nil },
            saver: "heifsave_buffer",
            configure: { call, encoder in
                // 8 bits by default, because 8.14 would choose 12 for some sources.
                call.set("compression", compression).set("bitdepth", encoder.output.options.bitDepth(in: encoder.output.format) ?? 8).set("Q", encoder.quality)
                    .set("lossless", encoder.output.options.isLossless).set("effort", encoder.effort)
                    .set("subsample-mode", encoder.output.options.isLossless ? PictureEncoder.fullColor : encoder.subsampling)
            }, isSlow: true,
            // Before 8.15.3 libvips lets libheif convert the colors, and the conversion is rounded.
            isExactWithoutLoss: VipsRuntime.isAtLeast(8, 15, 3), memory: { isAVIF ? PictureOutput.memoryOfAVIF($0) : nil })
    }
}
