import TintypeCore

/// How a rendition is encoded.
package struct OutputOptions: Sendable, Hashable {
    /// How much of the color is kept beside the brightness.
    package enum Subsampling: String, Sendable, CaseIterable, Hashable {
        case quarter = "4:2:0"
        case none = "4:4:4"
    }
    /// Which metadata of the source the result keeps.
    package enum Metadata: String, Sendable, CaseIterable, Hashable { case none, copyright, all }
    /// The color space of the result.
    package enum Profile: String, Sendable, CaseIterable, Hashable { case srgb, keep }
    /// The use of an HDR picture.
    package enum HDR: String, Sendable, CaseIterable, Hashable { case toneMap, keep }

    /// nil: the source's format if it can be encoded, else PNG with alpha and JPEG without. With `accepted`: the best of those formats.
    package var format: ImageFormat?
    /// The formats that `auto` chooses from; nil for every other format.
    package var accepted: AcceptedFormats?
    /// The formats of sources that are delivered as they came, where the result has the same format.
    package var keptFormats: Set<ImageFormat> = []
    /// 1…100; nil takes the format's default.
    package var quality: Int?
    /// The qualities by format, where `quality` is nil.
    package var qualities: [ImageFormat: Int] = [:]
    /// Whether the quality is the lowest one with `likeness`, in formats for which it is searched.
    package var isQualitySought = false
    /// The least structural similarity (SSIM) of a result whose quality is searched: 0.8…0.999.
    package var likeness = usualLikeness
    package var isLossless: Bool
    /// 0 (fastest)…9 (smallest); nil takes the format's default.
    package var effort: Int?
    package var isProgressive: Bool
    /// PNG with at most 256 colors.
    package var isPalette = false
    /// Whether a PNG of an animation in another format keeps all frames.
    package var isAnimated = false
    package var subsampling = Subsampling.quarter
    /// The bits of each number in the file: 10 or 12; nil: 8.
    package var bitDepth: Int?
    /// The longer side of the thumbnail in the file's EXIF; nil: no thumbnail.
    package var thumbnail: Int?
    /// The most bytes of the encoded file; the quality is lowered until they are met. Never a number that no file reaches.
    package var maxBytes: Int?
    package var metadata = Metadata.none
    package var profile = Profile.srgb
    package var gainMap = GainMapUse.drop
    package var hdr = HDR.toneMap
    /// The opaque color that shows through where the format has no alpha.
    package var background: Color?

    package static let usualLikeness = 0.98

    /// The largest file that a pixel process hands over, in bytes.
    package static let largestFile = 1 << 30

    package init(
        format: ImageFormat? = nil, quality: Int? = nil, isLossless: Bool = false, effort: Int? = nil, isProgressive: Bool = false,
        background: Color? = nil
    ) {
        (self.format, self.quality, self.isLossless) = (format, quality, isLossless)
        (self.effort, self.isProgressive, self.background) = (effort, isProgressive, background?.onWhite)
    }

    package static let parameters: [ParameterDescription] = [
        ParameterDescription(
            "format", .choice(["auto", "original"] + ImageFormat.encodable.map(\.rawValue)), default: "original",
            "The format of the result. `original`: the source's format if it can be encoded, else png with alpha or lossless, and jpeg otherwise. `auto`: "
                + "the best format of `accept`; the default with `accept`. A format without an encoder (see `formats.list`) fails with unsupportedFormat."),
        ParameterDescription(
            "accept", AcceptedFormats.parameter,
            "The formats for auto: an Accept header, or a list of media types or formats. Animated: webp, else gif (png first for a png source). Still: "
                + "avif, else webp, else jxl (if neither is named), else png (with alpha or from a lossless source), else jpeg. A star, or nothing known, "
                + "means jpeg, png and gif."),
        ParameterDescription(
            "keep", .array(of: .choice(keepableFormats.map(\.rawValue)), count: 0...keepableFormats.count), default: [],
            "The formats of sources that are delivered as they came, without operations, unless `format` names another one."),
        ParameterDescription(
            "quality", .union([.integer(1...100), .choice(["auto"])]),
            "The quality of the encoder. Default: \(usualQualities); png with palette 100. `auto`: the lowest of five tried that keeps `likeness`, named in the "
                + "result. It is for still \(soughtFormats); others have the default."),
        ParameterDescription(
            "qualities",
            .object(
                ImageFormat.encodable.filter { $0.traits.encoding?.usesQuality ?? false }.map { format in
                    ParameterDescription(format.rawValue, .integer(1...100), "The quality in this format.")
                }), "The quality by the format that the result gets, where `quality` is not given."),
        ParameterDescription(
            "likeness", .number(0.8...0.999), default: JSON(usualLikeness),
            "For quality auto: the least likeness (SSIM of brightness) of the file to the picture before it is encoded; 1 means equal. If none is "
                + "enough, the quality is 100."),
        ParameterDescription(
            "lossless", .boolean, default: false,
            "Encodes webp, avif, heif and jxl without loss; unsupportedFormat if the build cannot. Without a named format, jpeg is not "
                + "chosen, and gif only for a gif source."
        ),
        ParameterDescription("effort", .integer(0...9), "The effort of the encoder, from 0 (fastest) to 9 (smallest). Default: \(usualEfforts)."),
        ParameterDescription("progressive", .boolean, default: false, "Makes jpeg progressive and png interlaced."),
        ParameterDescription("palette", .boolean, default: false, "Limits png to 256 colors, dithered. `quality` says how close the colors must be."),
        ParameterDescription(
            "animated", .boolean, default: false,
            "Keeps the animation in a png or avif; false: only the first frame. Such a source stays animated. An animated png has 8 bits and ignores "
                + "palette and progressive. An animated avif ignores metadata and cannot be lossless."),
        ParameterDescription(
            "subsampling", .choice(Subsampling.allCases.map(\.rawValue)), default: .string(Subsampling.quarter.rawValue),
            "The chroma subsampling of jpeg, avif and heif. 4:4:4 keeps the color of every pixel."),
        ParameterDescription(
            "bitDepth", .integer(8...12), default: 8,
            "For avif: the bits of each number, 8, 10 or 12. 9 counts as 10, and 11 as 12. A build before libvips 8.15 cannot write 10 bits without loss, or with metadata or a color profile (unsupportedFormat). With more than 8 bits, a source of 16 bits keeps its finer steps."
        ),
        ParameterDescription(
            "thumbnail", .integer(16...320),
            "For jpeg: the longer side of a thumbnail in the file's EXIF, in pixels. The thumbnail is never larger than the picture."),
        ParameterDescription(
            "maxBytes", .integer(1...Int.max),
            "The most bytes of the file. The highest quality up to `quality` that fits is used, and named in the result; limitExceeded if none fits. Formats "
                + "without a quality are only checked."),
        ParameterDescription(
            "metadata", .choice(Metadata.allCases.map(\.rawValue)), default: "none",
            "The metadata to keep. `copyright`: Copyright and Artist of EXIF. `all`: EXIF, XMP and IPTC, the place of the photo too. For jpeg, png, webp, avif "
                + "and heif. jpeg, png and tiff always keep the pixel density."),
        ParameterDescription(
            "icc", .choice(Profile.allCases.map(\.rawValue)), default: "srgb",
            "The color space. `srgb`: colors become sRGB, without a profile. `keep`: RGB stays in the source's space, with its profile; gray with a profile "
                + "of its own is converted. Colors of operations then mean that space, and other pictures are converted to it. Not for "
                + "\(withoutProfile.joined(separator: " and "))."
        ),
        ParameterDescription(
            "gainMap", .choice(GainMapUse.allCases.map(\.rawValue)), default: "drop",
            "The gain map of an Ultra HDR jpeg. `drop`: the result is the SDR picture. `keep`, for jpeg: the map follows crops, sizes and turns by quarters, "
                + "and other XMP gives way to its own. `apply`, for png without palette: the HDR picture of 16 bits in BT.2020 and PQ, with SDR white at 203 "
                + "cd/m². Layers, text, round corners, free angles and canvases end in SDR, as does a broken map."),
        ParameterDescription(
            "hdr", .choice(HDR.allCases.map(\.rawValue)), default: "toneMap",
            "Still pictures in PQ or HLG. `keep`: avif (10 bits) and png without palette keep curve and primaries. It refuses operations with colors."),
        ParameterDescription(
            "background", Color.parameter, default: "white",
            "The color behind the picture if the format has no alpha. Its own alpha shows white."),
    ]

    init(_ json: JSON?) {
        self.init(
            format: json?["format"]?.string.flatMap { ImageFormat(rawValue: $0) }, quality: json?["quality"]?.int,
            isLossless: json?["lossless"]?.bool ?? false, effort: json?["effort"]?.int, isProgressive: json?["progressive"]?.bool ?? false,
            background: json?["background"]?.string.flatMap { Color($0) })
        isQualitySought = json?["quality"]?.string == "auto"
        if let members = json?["qualities"]?.object?.members {
            qualities = members.reduce(into: [:]) { all, member in if let format = ImageFormat(rawValue: member.key) { all[format] = member.value.int } }
        }
        likeness = json?["likeness"]?.double ?? Self.usualLikeness
        let name = json?["format"]?.string
        let accept = AcceptedFormats(json?["accept"])
        if name == "auto" || name == nil && accept != nil { accepted = accept ?? .usual }
        keptFormats = Set((json?["keep"]?.array ?? []).compactMap { $0.string.flatMap { ImageFormat(rawValue: $0) } })
        isPalette = json?["palette"]?.bool ?? false
        isAnimated = json?["animated"]?.bool ?? false
        subsampling = json?["subsampling"]?.string.flatMap { Subsampling(rawValue: $0) } ?? .quarter
        bitDepth = json?["bitDepth"]?.int.flatMap { $0 > 8 ? $0 > 10 ? 12 : 10 : nil }
        thumbnail = json?["thumbnail"]?.int
        maxBytes = json?["maxBytes"]?.int.flatMap { $0 < Self.largestFile ? $0 : nil }
        metadata = json?["metadata"]?.string.flatMap { Metadata(rawValue: $0) } ?? .none
        profile = json?["icc"]?.string.flatMap { Profile(rawValue: $0) } ?? .srgb
        gainMap = json?["gainMap"]?.string.flatMap { GainMapUse(rawValue: $0) } ?? .drop
        hdr = json?["hdr"]?.string.flatMap { HDR(rawValue: $0) } ?? .toneMap
    }

    /// The options that the encoder of `format` will use. Options that it does not know and its own defaults are left out, so that two spellings
    /// of the same work have one key. `original` and `auto` may become any format and keep all options.
    var canonical: JSONObject {
        let defaults = format.map { $0.traits.encoding ?? EncodingTraits() }
        var object = JSONObject()
        object["format"] = .string(format?.rawValue ?? (accepted == nil ? "original" : "auto"))
        object["accept"] = accepted?.canonical
        let kept = ImageFormat.allCases.filter { keeps($0) }
        if !kept.isEmpty { object["keep"] = .array(kept.map { .string($0.rawValue) }) }
        let hasPalette = isPalette && defaults?.usesPalette ?? true
        if hasPalette { object["palette"] = true }
        if isAnimated, defaults?.usesAnimated ?? true { object["animated"] = true }
        let isPlain = isLossless && defaults?.isPlainWithoutLoss ?? false
        let quality = quality ?? format.flatMap { qualities[$0] }
        if quality == nil, format == nil, !isQualitySought, !qualities.isEmpty {
            object["qualities"] = .object(JSONObject(qualities.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key.rawValue, JSON($0.value)) }))
        }
        if let quality, !isPlain, defaults.map({ $0.usesQuality || hasPalette && quality != 100 }) ?? true, quality != defaults?.quality {
            object["quality"] = JSON(quality)
        }
        if isQualitySought, defaults?.usesLikeness ?? true, !(isLossless && defaults?.usesLossless ?? true) {
            object["quality"] = "auto"
            if likeness != Self.usualLikeness { object["likeness"] = JSON(likeness) }
        }
        if isLossless, defaults?.usesLossless ?? true { object["lossless"] = true }
        if let effort = format.map({ effort(in: $0) }) ?? effort, defaults?.usesEffort ?? true, effort != defaults?.effort { object["effort"] = JSON(effort) }
        if isProgressive, defaults?.usesProgressive ?? true { object["progressive"] = true }
        if subsampling != .quarter, !isPlain, defaults?.usesSubsampling ?? true { object["subsampling"] = .string(subsampling.rawValue) }
        if let bitDepth, defaults?.usesBitDepth ?? true { object["bitDepth"] = JSON(bitDepth) }
        if let thumbnail, defaults?.usesThumbnail ?? true { object["thumbnail"] = JSON(thumbnail) }
        if let maxBytes { object["maxBytes"] = JSON(maxBytes) }
        if metadata != .none, defaults?.usesMetadata ?? true { object["metadata"] = .string(metadata.rawValue) }
        if profile != .srgb, defaults?.usesProfile ?? true { object["icc"] = .string(profile.rawValue) }
        let gainMap = format.map { self.gainMap(in: $0) } ?? gainMap
        if gainMap != .drop { object["gainMap"] = .string(gainMap.rawValue) }
        if mayKeepHDR { object["hdr"] = .string(hdr.rawValue) }
        if let background, background != .white, defaults?.usesBackground ?? true {
            object["background"] = .string(background.canonical)
        }
        return object
    }

    /// Whether a source of this format is delivered as it came.
    package func keeps(_ source: ImageFormat) -> Bool { keptFormats.contains(source) && (format == nil || format == source) }

    /// The formats whose files can be delivered as they came. A drawing can hold scripts.
    package static let keepableFormats = ImageFormat.decodable.filter { !$0.isDrawing }

    /// Returns the quality for the encoder: the requested one, or the format's default; nil for a format without a quality.
    package func quality(in format: ImageFormat) -> Int? {
        let defaults = format.traits.encoding
        let wanted = quality ?? qualities[format]
        if isPalette, defaults?.usesPalette ?? false { return wanted ?? 100 }
        return defaults?.quality.map { wanted ?? $0 }
    }

    /// Returns the likeness for which a quality is searched in a still file of `format`; nil if none is.
    package func likeness(in format: ImageFormat) -> Double? {
        isQualitySought && isLossy(in: format) && format.traits.encoding?.usesLikeness ?? false ? likeness : nil
    }

    /// Whether a lower quality makes a smaller file.
    package func isLossy(in format: ImageFormat) -> Bool {
        quality(in: format) != nil && !(isLossless && format.traits.encoding?.usesLossless ?? false)
    }

    /// Returns the effort for the encoder: the requested one within its range, or the format's default.
    package func effort(in format: ImageFormat) -> Int? {
        guard let defaults = format.traits.encoding, let usual = defaults.effort else { return effort }
        return min(max(effort ?? usual, defaults.efforts.lowerBound), defaults.efforts.upperBound)
    }

    /// Returns the bits of each number in a file of `format`; nil: the format's own.
    package func bitDepth(in format: ImageFormat) -> Int? { format.traits.encoding?.usesBitDepth ?? false ? bitDepth : nil }

    /// Returns the longer side of the thumbnail in a file of `format`; nil: no thumbnail.
    package func thumbnail(in format: ImageFormat) -> Int? { format.traits.encoding?.usesThumbnail ?? false ? thumbnail : nil }

    /// Returns the metadata of the source that a file of `format` keeps.
    package func metadata(in format: ImageFormat) -> Metadata { format.traits.encoding?.usesMetadata ?? false ? metadata : .none }

    /// Returns the use of the source's gain map in a file of `format`. A palette cannot hold HDR.
    package func gainMap(in format: ImageFormat) -> GainMapUse {
        gainMap == format.traits.encoding?.gainMap && !(gainMap == .apply && isPalette) ? gainMap : .drop
    }

    /// Whether a file of `format` keeps HDR. A palette cannot hold it.
    package func keepsHDR(in format: ImageFormat) -> Bool {
        let traits = format.traits.encoding
        return hdr == .keep && traits?.usesHDR ?? false && !(isPalette && traits?.usesPalette ?? false)
    }

    /// Whether the result may keep HDR, whatever format it gets.
    var mayKeepHDR: Bool { format.map { keepsHDR(in: $0) } ?? (hdr == .keep) }

    /// Whether a file of `format` keeps the color space of the source.
    package func keepsProfile(in format: ImageFormat) -> Bool { profile == .keep && format.traits.encoding?.usesProfile ?? false }

    private static let usualQualities = ImageFormat.encodable.compactMap { format in
        format.traits.encoding?.quality.map { "\(format.rawValue) \($0)" }
    }.joined(separator: ", ")

    private static let soughtFormats = ImageFormat.encodable.filter { $0.traits.encoding?.usesLikeness ?? false }.map(\.rawValue)
        .joined(separator: ", ")

    private static let usualEfforts = ImageFormat.encodable.compactMap { format in
        format.traits.encoding?.effort.map { "\(format.rawValue) \($0)" }
    }.joined(separator: ", ")

    private static let withoutProfile = ImageFormat.encodable.filter { !($0.traits.encoding?.usesProfile ?? true) }.map(\.rawValue)

    /// Formats that can be written with or without loss.
    package static let losslessFormats = ImageFormat.encodable.filter { $0.traits.encoding?.usesLossless ?? false }
}
