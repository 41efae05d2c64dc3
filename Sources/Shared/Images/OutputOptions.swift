/// How a rendition is encoded. Metadata is stripped and colours are sRGB.
package struct OutputOptions: Sendable, Hashable {
    /// nil: the source's format if it can be encoded, else PNG with alpha and JPEG without.
    package var format: ImageFormat?
    /// 1…100; nil takes the format's default.
    package var quality: Int?
    package var isLossless: Bool
    /// 0 (fastest)…9 (smallest); nil takes the format's default.
    package var effort: Int?
    package var isProgressive: Bool
    /// What shows through where the format has no alpha.
    package var background: Color?

    package init(
        format: ImageFormat? = nil, quality: Int? = nil, isLossless: Bool = false, effort: Int? = nil, isProgressive: Bool = false,
        background: Color? = nil
    ) {
        (self.format, self.quality, self.isLossless) = (format, quality, isLossless)
        (self.effort, self.isProgressive, self.background) = (effort, isProgressive, background)
    }

    package static let parameters: [ParameterDescription] = [
        ParameterDescription(
            "format", .choice(["original"] + ImageFormat.encodable.map(\.rawValue)), default: "original",
            "original: the source's own if it can be encoded, else png with alpha and jpeg without."),
        ParameterDescription("quality", .integer(1...100), "Default: \(usualQualities)."),
        ParameterDescription("lossless", .boolean, default: false, "For webp and avif."),
        ParameterDescription("effort", .integer(0...9), "0 fastest, 9 smallest; default: the codec's own."),
        ParameterDescription("progressive", .boolean, default: false, "For jpeg and png (interlaced)."),
        ParameterDescription("background", Color.parameter, default: "white", "What shows through where the format has no alpha."),
    ]

    init(_ json: JSON?) {
        self.init(
            format: json?["format"]?.string.flatMap { ImageFormat(rawValue: $0) }, quality: json?["quality"]?.int,
            isLossless: json?["lossless"]?.bool ?? false, effort: json?["effort"]?.int, isProgressive: json?["progressive"]?.bool ?? false,
            background: json?["background"]?.string.flatMap { Color($0) })
    }

    /// What of this the encoder of `format` will use: options it does not know and its own defaults are left out, so that they do not
    /// part two spellings of the same work. `original` may become any format and keeps them all.
    var canonical: JSONObject {
        let defaults = format.map { Self.defaults[$0] ?? Defaults() }
        var object = JSONObject()
        object["format"] = .string(format?.rawValue ?? "original")
        if let quality, defaults?.usesQuality ?? true, quality != defaults?.quality { object["quality"] = JSON(quality) }
        if isLossless, defaults?.usesLossless ?? true { object["lossless"] = true }
        if let effort, defaults?.usesEffort ?? true, effort != defaults?.effort { object["effort"] = JSON(effort) }
        if isProgressive, defaults?.usesProgressive ?? true { object["progressive"] = true }
        if let background, background != Color(red: 255, green: 255, blue: 255), defaults?.usesBackground ?? true {
            object["background"] = .string(background.canonical)
        }
        return object
    }

    /// The quality an encoder is given: what was asked for, or its format's own.
    package func quality(in format: ImageFormat) -> Int? { quality ?? Self.defaults[format]?.quality }

    /// The effort an encoder is given: what was asked for, or its format's own.
    package func effort(in format: ImageFormat) -> Int? { effort ?? Self.defaults[format]?.effort }

    private static let usualQualities = ImageFormat.encodable.compactMap { format in
        defaults[format]?.quality.map { "\(format.rawValue) \($0)" }
    }.joined(separator: ", ")

    /// What the encoder of one format takes, and what it takes when nothing is said.
    private struct Defaults {
        var quality: Int?
        var effort: Int?
        var usesLossless = false
        var usesProgressive = false
        var usesBackground = false
        var usesQuality: Bool { quality != nil }
        var usesEffort: Bool { effort != nil }
    }

    private static let defaults: [ImageFormat: Defaults] = [
        .jpeg: Defaults(quality: 80, usesProgressive: true, usesBackground: true),
        .png: Defaults(effort: 6, usesProgressive: true),
        .webp: Defaults(quality: 80, effort: 4, usesLossless: true),
        .avif: Defaults(quality: 50, effort: 3, usesLossless: true),
        .gif: Defaults(effort: 7),
    ]
}
