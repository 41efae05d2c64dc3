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
        PictureOption("strip_metadata", ["sm"], sets: \.stripsMetadata, "strip", .flag, becomes: "`output.metadata`: by default `copyright`; with 0 `all`"),
        PictureOption("keep_copyright", ["kcr"], sets: \.keepsCopyright, "keep", .flag, becomes: "`output.metadata`: with 0 `none`"),
        PictureOption("strip_color_profile", ["scp"], sets: \.stripsProfile, "strip", .flag, becomes: "`output.icc`: by default `srgb`; with 0 `keep`"),
        PictureOption(
            "preserve_hdr", ["ph"], [OptionArgument("preserve", .flag, required: true)],
            becomes: "the bits of the format: up to 16 for png and tiff, 8 for all others"
        ) { options, values in options.preservesHDR = values.flag(0) },
        PictureOption("enforce_thumbnail", ["eth"], sets: \.enforcesThumbnail, "enforce", .flag, becomes: "`decode.thumbnail`, also for jpeg"),
        PictureOption("quality", ["q"], sets: \.quality, "quality", .integer(0...100), becomes: "`output.quality`; 0 is the format's default here"),
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
            "max_bytes", ["mb"], sets: \.maxBytes, "bytes", .integer(0...(1 << 40)),
            becomes: "`output.maxBytes` for jpeg, webp and heic, and for a format that is not named; a file that cannot be so small fails"),
        PictureOption(
            "format", ["f", "ext"], [OptionArgument("format", .word(formatNames + otherFormats), required: true)],
            becomes: "`output.format`, as the extension of the URL, which comes last"
        ) { options, values in
            (options.format, options.unwrittenFormat) = (nil, nil)
            if let format = values.text(0).flatMap({ formats[$0] }) { options.format = format } else { options.unwrittenFormat = values.text(0) }
        },
    ]
}
