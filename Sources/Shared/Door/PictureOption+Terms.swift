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

    /// Where and when the work is done, and what the result belongs to. These options are ours, and only the operator's presets may have them.
    static let work: [PictureOption] = [
        PictureOption(
            "queue", [], [OptionArgument("name", .text, required: true)], isOperators: true, becomes: "`queue`, which must exist"
        ) { options, values throws(DoorRefusal) in
            let name = values.text(0) ?? ""
            do throws(TintypeError) {
                try ImageRequest.queueType.validate(.string(name), at: "queue")
            } catch {
                throw .wrongArgument(error.message)
            }
            options.queue = name
        },
        PictureOption(
            "priority", [], [OptionArgument("priority", .integer(-10...10), required: true)], isOperators: true,
            becomes: "`priority`: higher goes first"
        ) { options, values in options.priority = values.int(0) },
        PictureOption(
            "tag", [], [OptionArgument("name", .text, required: true)], repeats: 1, isOperators: true,
            becomes: "`cache.tags`, beside those of other presets: names for `cache.purge`"
        ) { options, values throws(DoorRefusal) in
            for tag in values.texts(from: 0) where !tag.isEmpty && !options.tags.contains(tag) {
                guard CacheTag.isTag(tag) else { throw .wrongArgument("the tag must have 1 to \(CacheTag.longest) of [A-Za-z0-9._~-]") }
                guard options.tags.count < CacheTag.most - 1 else { throw .wrongArgument("a picture has at most \(CacheTag.most - 1) tags of presets") }
                options.tags.append(tag)
            }
        },
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
