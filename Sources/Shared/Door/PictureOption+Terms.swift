import TintypeCore
import TintypeImages

extension PictureOption {
    /// Options of the answer and of limits. Presets are not applied here: `PicturePresets` replaces them by their options.
    static let terms: [PictureOption] = [
        PictureOption(
            "skip_processing", ["skp"], [OptionArgument("extension", .text)], repeats: 1, becomes: "`output.keep`"
        ) { options, values in options.skippedFormats = values.texts(from: 0).filter { !$0.isEmpty } },
        PictureOption("raw", sets: \.isRaw, "raw", .flag, becomes: "`as: \"bytes\"`, without any other option of pictures"),
        PictureOption(
            "cachebuster", ["cb"], [OptionArgument("text", .text)],
            becomes: "another URL, and the same work; a tag for `cache.purge` if the URL is signed and the text may be one"
        ) { options, values in
            options.cacheBuster = values.text(0) ?? ""
        },
        PictureOption(
            "expires", ["exp"], [OptionArgument("timestamp", .integer(0...Int.max))], becomes: "a refusal from this second since 1970 on; 0 is never"
        ) { options, values in options.expires = values.int(0).flatMap { $0 == 0 ? nil : $0 } },
        PictureOption(
            "filename", ["fn"], [OptionArgument("filename", .text), OptionArgument("encoded", .flag)], becomes: "the name in `Content-Disposition`"
        ) { options, values throws(DoorRefusal) in options.filename = try filename(values) },
        PictureOption("return_attachment", ["att"], sets: \.isAttachment, "attachment", .flag, becomes: "`attachment` in `Content-Disposition`"),
        PictureOption(
            presetName, ["pr"], [OptionArgument("name", .text)], repeats: 1, becomes: "the options of the presets, in its place"
        ) { _, _ in },
        PictureOption(
            "max_src_resolution", ["msr"], sets: \.maxSourceResolution, "megapixels", .number(0...1_000_000), isOperators: true,
            becomes: "`decode.maxPixels`; the limit of the worker holds too"),
        PictureOption(
            "max_src_file_size", ["msfs"], sets: \.maxSourceBytes, "bytes", .integer(0...(1 << 40)), isOperators: true,
            becomes: "`fetch.maxBytes`; 0 is the default here"),
        PictureOption(
            "max_animation_frames", ["maf"], sets: \.maxFrames, "frames", .integer(0...65535), isOperators: true,
            becomes: "`frames.first`; without it all frames are shown"),
        PictureOption(
            "max_animation_frame_resolution", ["mafr"], sets: \.maxFrameResolution, "megapixels", .number(0...1_000_000), isOperators: true,
            becomes: "`decode.maxFramePixels`"),
        PictureOption(
            "max_result_dimension", ["mrd"], sets: \.maxResultSide, "pixels", .integer(0...16384), isOperators: true,
            becomes: "a last `resize` inside a square of this side"),
    ]

    static let presetName = "preset"

    /// Reads a name for a file: percent-encoded, or in Base64.
    private static func filename(_ values: OptionValues) throws(DoorRefusal) -> String? {
        guard let text = values.text(0) else { return nil }
        let isEncoded = values.flag(1) ?? false
        let bytes = isEncoded ? Base64.bytes(of: Array(text.utf8)) : PercentText.bytes(of: text.utf8)
        guard let bytes, let name = String(validating: bytes, as: UTF8.self) else {
            throw .wrongArgument("the filename must be \(isEncoded ? "UTF-8 in URL-safe Base64" : "percent-encoded UTF-8")")
        }
        let isFine = (1...255).contains(bytes.count) && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") }
        guard isFine, name != ".", name != "..", !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .wrongArgument("the filename must have 1 to 255 bytes, without slashes and control characters")
        }
        return name
    }
}
