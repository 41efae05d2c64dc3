/// How a rendition is encoded. Metadata is stripped and colours are sRGB.
package struct OutputOptions: Sendable, Hashable {
    /// nil: the source's format if it can be encoded, else PNG with alpha and JPEG without.
    package var format: ImageFormat?
    /// 1…100; nil takes the format's default (JPEG 80, WebP 80, AVIF 50).
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
        ParameterDescription("quality", .integer(1...100), "Default: jpeg 80, webp 80, avif 50."),
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

    var canonical: JSONObject {
        var object = JSONObject()
        object["format"] = .string(format?.rawValue ?? "original")
        object["quality"] = quality.map { JSON($0) }
        if isLossless { object["lossless"] = true }
        object["effort"] = effort.map { JSON($0) }
        if isProgressive { object["progressive"] = true }
        if let background, background != Color(red: 255, green: 255, blue: 255) { object["background"] = .string(background.canonical) }
        return object
    }
}
