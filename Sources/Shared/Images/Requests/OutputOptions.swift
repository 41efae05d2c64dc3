import TintypeCore

/// How a rendition is encoded.
package struct OutputOptions: Sendable, Hashable {
    /// How much of the colour is kept beside the brightness.
    package enum Subsampling: String, Sendable, CaseIterable, Hashable {
        case quarter = "4:2:0"
        case none = "4:4:4"
    }
    /// What is carried along of what the source says of itself.
    package enum Metadata: String, Sendable, CaseIterable, Hashable { case none, copyright, all }
    /// Which colours the numbers of the result stand for.
    package enum Profile: String, Sendable, CaseIterable, Hashable { case srgb, keep }

    /// nil: the source's format if it can be encoded, else PNG with alpha and JPEG without; or, with `accepted`, the best of those.
    package var format: ImageFormat?
    /// What `auto` chooses among; nil for every other format.
    package var accepted: AcceptedFormats?
    /// 1…100; nil takes the format's default.
    package var quality: Int?
    package var isLossless: Bool
    /// 0 (fastest)…9 (smallest); nil takes the format's default.
    package var effort: Int?
    package var isProgressive: Bool
    /// PNG with at most 256 colours.
    package var isPalette = false
    /// Whether a PNG shows all the frames of what moves, though it be made of another format.
    package var isAnimated = false
    package var subsampling = Subsampling.quarter
    /// Of the encoded file; lowers the quality until it is met. Never what no file comes to.
    package var maxBytes: Int?
    package var metadata = Metadata.none
    package var profile = Profile.srgb
    /// What shows through where the format has no alpha: opaque.
    package var background: Color?

    /// Pixel processes hand over nothing larger.
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
            "original: the source's own if it can be encoded, else png with alpha and jpeg without, with lossless png; auto, also without being named where accept is "
                + "given: the best of accept for this picture. What a build cannot encode (formats.list) fails as unsupportedFormat."),
        ParameterDescription(
            "accept", AcceptedFormats.parameter,
            "For auto: an Accept header, or a list of media types or formats. Animated becomes webp, else gif, or png before it where the source is one; a still avif, else webp; else jxl, which "
                + "counts only where neither of those is named; else png with alpha or from a lossless source, else jpeg. Only what is named counts, a star "
                + "for jpeg, png and gif; so does its absence."),
        ParameterDescription("quality", .integer(1...100), "Default: \(usualQualities); png with palette 100."),
        ParameterDescription(
            "lossless", .boolean, default: false,
            "For webp, avif, heif and jxl; where a build cannot (formats.list), it fails as unsupportedFormat. Where no format is named, jpeg is not chosen, nor gif unless the source is one."
        ),
        ParameterDescription("effort", .integer(0...9), "0 fastest, 9 smallest; default: the codec's own."),
        ParameterDescription("progressive", .boolean, default: false, "For jpeg and png (interlaced)."),
        ParameterDescription("palette", .boolean, default: false, "For png: at most 256 colours, dithered; quality says how near they must come."),
        ParameterDescription(
            "animated", .boolean, default: false,
            "For png: whether what moves stays so in it, as it does in any case where the source is a png; else its first frame is shown. It has 8 bits then, "
                + "and neither palette nor progressive count."),
        ParameterDescription(
            "subsampling", .choice(Subsampling.allCases.map(\.rawValue)), default: .string(Subsampling.quarter.rawValue),
            "For jpeg, avif and heif: 4:4:4 keeps the colour of every pixel."),
        ParameterDescription(
            "maxBytes", .integer(1...Int.max),
            "The most bytes of the file: the highest quality up to `quality` that meets it is searched for, and the result says which it was. "
                + "limitExceeded where none does; of formats without a quality nothing is searched."),
        ParameterDescription(
            "metadata", .choice(Metadata.allCases.map(\.rawValue)), default: "none",
            "copyright: EXIF's Copyright and Artist; all: EXIF, XMP and IPTC, the place where it was taken too. For jpeg, png, webp, avif and heif. How dense "
                + "the pixels are is handed on in any case, by jpeg, png and tiff."),
        ParameterDescription(
            "icc", .choice(Profile.allCases.map(\.rawValue)), default: "srgb",
            "srgb: colours are converted to sRGB and no profile is needed; keep: RGB stays in the source's own space, its profile beside it; grey that "
                + "has a profile of its own is converted. Colours named by operations are taken as of that space, other pictures come to it. Not for \(withoutProfile.joined(separator: " and "))."
        ),
        ParameterDescription("background", Color.parameter, default: "white", "What shows through where the format has no alpha; through it, white."),
    ]

    init(_ json: JSON?) {
        self.init(
            format: json?["format"]?.string.flatMap { ImageFormat(rawValue: $0) }, quality: json?["quality"]?.int,
            isLossless: json?["lossless"]?.bool ?? false, effort: json?["effort"]?.int, isProgressive: json?["progressive"]?.bool ?? false,
            background: json?["background"]?.string.flatMap { Color($0) })
        let name = json?["format"]?.string
        let accept = AcceptedFormats(json?["accept"])
        if name == "auto" || name == nil && accept != nil { accepted = accept ?? .usual }
        isPalette = json?["palette"]?.bool ?? false
        isAnimated = json?["animated"]?.bool ?? false
        subsampling = json?["subsampling"]?.string.flatMap { Subsampling(rawValue: $0) } ?? .quarter
        maxBytes = json?["maxBytes"]?.int.flatMap { $0 < Self.largestFile ? $0 : nil }
        metadata = json?["metadata"]?.string.flatMap { Metadata(rawValue: $0) } ?? .none
        profile = json?["icc"]?.string.flatMap { Profile(rawValue: $0) } ?? .srgb
    }

    /// What of this the encoder of `format` will use: options it does not know and its own defaults are left out, so that they do not
    /// part two spellings of the same work. `original` and `auto` may become any format and keep them all.
    var canonical: JSONObject {
        let defaults = format.map { $0.traits.encoding ?? EncodingTraits() }
        var object = JSONObject()
        object["format"] = .string(format?.rawValue ?? (accepted == nil ? "original" : "auto"))
        object["accept"] = accepted?.canonical
        let hasPalette = isPalette && defaults?.usesPalette ?? true
        if hasPalette { object["palette"] = true }
        if isAnimated, defaults?.usesAnimated ?? true { object["animated"] = true }
        let isPlain = isLossless && defaults?.isPlainWithoutLoss ?? false
        if let quality, !isPlain, defaults.map({ $0.usesQuality || hasPalette && quality != 100 }) ?? true, quality != defaults?.quality {
            object["quality"] = JSON(quality)
        }
        if isLossless, defaults?.usesLossless ?? true { object["lossless"] = true }
        if let effort = format.map({ effort(in: $0) }) ?? effort, defaults?.usesEffort ?? true, effort != defaults?.effort { object["effort"] = JSON(effort) }
        if isProgressive, defaults?.usesProgressive ?? true { object["progressive"] = true }
        if subsampling != .quarter, !isPlain, defaults?.usesSubsampling ?? true { object["subsampling"] = .string(subsampling.rawValue) }
        if let maxBytes { object["maxBytes"] = JSON(maxBytes) }
        if metadata != .none, defaults?.usesMetadata ?? true { object["metadata"] = .string(metadata.rawValue) }
        if profile != .srgb, defaults?.usesProfile ?? true { object["icc"] = .string(profile.rawValue) }
        if let background, background != .white, defaults?.usesBackground ?? true {
            object["background"] = .string(background.canonical)
        }
        return object
    }

    /// The quality an encoder is given: what was asked for, or its format's own; nil where it has none to choose.
    package func quality(in format: ImageFormat) -> Int? {
        let defaults = format.traits.encoding
        if isPalette, defaults?.usesPalette ?? false { return quality ?? 100 }
        return defaults?.quality.map { quality ?? $0 }
    }

    /// Whether a lower quality makes a smaller file.
    package func isLossy(in format: ImageFormat) -> Bool {
        quality(in: format) != nil && !(isLossless && format.traits.encoding?.usesLossless ?? false)
    }

    /// The effort an encoder is given: what was asked for, within what it knows, or its format's own.
    package func effort(in format: ImageFormat) -> Int? {
        guard let defaults = format.traits.encoding, let usual = defaults.effort else { return effort }
        return min(max(effort ?? usual, defaults.efforts.lowerBound), defaults.efforts.upperBound)
    }

    /// What of the source's metadata goes into a file of `format`.
    package func metadata(in format: ImageFormat) -> Metadata { format.traits.encoding?.usesMetadata ?? false ? metadata : .none }

    /// Whether the colours stay those of the source's profile.
    package func keepsProfile(in format: ImageFormat) -> Bool { profile == .keep && format.traits.encoding?.usesProfile ?? false }

    private static let usualQualities = ImageFormat.encodable.compactMap { format in
        format.traits.encoding?.quality.map { "\(format.rawValue) \($0)" }
    }.joined(separator: ", ")

    private static let withoutProfile = ImageFormat.encodable.filter { !($0.traits.encoding?.usesProfile ?? true) }.map(\.rawValue)

    /// Formats that are written with loss or without, as is asked.
    package static let losslessFormats = ImageFormat.encodable.filter { $0.traits.encoding?.usesLossless ?? false }
}
