import TintypeImages

extension PictureOption {
    /// Formats by imgproxy's names that can be written here. The others of imgproxy are known, and refused.
    static let formats: [String: ImageFormat] = [
        "jpg": .jpeg, "jpeg": .jpeg, "png": .png, "webp": .webp, "avif": .avif, "gif": .gif, "tiff": .tiff, "heic": .heif, "jxl": .jxl,
    ]
    private static let otherFormats = ["best", "bmp", "ico", "mp4", "pdf", "psd", "svg"]
    private static let formatNames = formats.keys.sorted()
    private static let percent = OptionType.integer(0...100)

    /// Options of the file that is written.
    static let outputs: [PictureOption] = [
        PictureOption(
            "strip_metadata", ["sm"], [OptionArgument("strip", .flag, required: true)], becomes: "`output.metadata`: by default `copyright`; with 0 `all`"
        ) { options, values in options.stripsMetadata = values.flag(0) ?? true },
        PictureOption(
            "keep_copyright", ["kcr"], [OptionArgument("keep", .flag, required: true)], becomes: "`output.metadata`: with 0 `none`"
        ) { options, values in options.keepsCopyright = values.flag(0) ?? true },
        PictureOption(
            "strip_color_profile", ["scp"], [OptionArgument("strip", .flag, required: true)], becomes: "`output.icc`: by default `srgb`; with 0 `keep`"
        ) { options, values in options.stripsProfile = values.flag(0) ?? true },
        PictureOption(
            "preserve_hdr", ["ph"], [OptionArgument("preserve", .flag, required: true)],
            becomes: "the bits of the format: up to 16 for png and tiff, 8 for all others"
        ) { options, values in options.preservesHDR = values.flag(0) },
        PictureOption("enforce_thumbnail", ["eth"], [OptionArgument("enforce", .flag, required: true)], becomes: "`decode.thumbnail`, also for jpeg") {
            options, values in
            options.enforcesThumbnail = values.flag(0) ?? false
        },
        PictureOption("quality", ["q"], [OptionArgument("quality", percent, required: true)], becomes: "`output.quality`; 0 is the format's default here") {
            options, values in options.quality = values.int(0) ?? 0
        },
        PictureOption(
            "format_quality", ["fq"], [OptionArgument("format", .word(formatNames), required: true), OptionArgument("quality", percent, required: true)],
            repeats: 2, becomes: "`output.quality` of the named format, or `output.qualities`"
        ) { options, values throws(DoorRefusal) in
            guard values.values.count % 2 == 0 else { throw .wrongArgument("a quality must follow each format") }
            for index in stride(from: 0, to: values.values.count, by: 2) {
                guard let format = values.text(index).flatMap({ formats[$0] }), let quality = values.int(index + 1) else {
                    throw .wrongArgument("a format or its quality is empty")
                }
                options.formatQualities[format] = quality
            }
        },
        PictureOption(
            "max_bytes", ["mb"], [OptionArgument("bytes", .integer(0...(1 << 40)), required: true)],
            becomes: "`output.maxBytes` for jpeg, webp and heic, and for a format that is not named; a file that cannot be so small fails"
        ) { options, values in options.maxBytes = values.int(0) ?? 0 },
        PictureOption(
            "format", ["f", "ext"], [OptionArgument("format", .word(formatNames + otherFormats), required: true)],
            becomes: "`output.format`, as the extension of the URL, which comes last"
        ) { options, values in
            (options.format, options.unwrittenFormat) = (nil, nil)
            if let format = values.text(0).flatMap({ formats[$0] }) { options.format = format } else { options.unwrittenFormat = values.text(0) }
        },
    ]
}
