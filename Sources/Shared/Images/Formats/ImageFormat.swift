/// The picture formats that Tintype knows by name. Whether this build decodes or encodes one is another question.
package enum ImageFormat: String, Sendable, CaseIterable, Hashable {
    case jpeg, png, webp, avif, gif, tiff, heif, jxl, svg, pdf, bmp, ico, jp2, psd

    var traits: FormatTraits {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .webp: .webp
        case .avif: .avif
        case .gif: .gif
        case .tiff: .tiff
        case .heif: .heif
        case .jxl: .jxl
        case .svg: .svg
        case .pdf: .pdf
        case .bmp: .bmp
        case .ico: .ico
        case .jp2: .jp2
        case .psd: .psd
        }
    }

    /// The media type (IANA), for Content-Type.
    package var contentType: String { traits.contentType }

    /// What a file of it is called after the dot.
    package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    package var isAnimatable: Bool { traits.isAnimated }
    package var holdsAlpha: Bool { traits.holdsAlpha }
    package var holdsSixteenBits: Bool { traits.holdsSixteenBits }
    /// The longest side it can hold, in pixels.
    package var maxEncodedSide: Int { traits.maxSide }
    /// The time its encoder takes for a pixel, of JPEG's: a rough guess.
    package var encodingCost: Double { traits.encoding?.cost ?? 1 }

    /// Formats that are opened.
    package static let decodable = allCases.filter(\.traits.isDecoded)
    /// Formats that can be asked for; what of them a build can encode, its codecs say.
    package static let encodable = allCases.filter { $0.traits.encoding != nil }
}
