/// The picture formats that Tintype knows by name. A build may be unable to decode or encode some of them.
package enum ImageFormat: String, Sendable, CaseIterable, Hashable {
    case jpeg, png, webp, avif, gif, tiff, heif, jxl, svg, pdf, bmp, ico, icns, xbm, jp2, psd, raw

    /// The media type (IANA), for Content-Type.
    package var contentType: String { traits.contentType }

    /// The extension of file names.
    package var fileExtension: String { traits.fileExtension ?? rawValue }

    /// The name in a sentence.
    package var name: String { traits.name ?? rawValue.uppercased() }

    package var isAnimatable: Bool { traits.isAnimated }
    /// Whether an animated result needs the option `animated`.
    package var movesOnDemand: Bool { traits.encoding?.usesAnimated ?? false }
    package var holdsAlpha: Bool { traits.holdsAlpha }
    package var holdsSixteenBits: Bool { traits.holdsSixteenBits }
    /// The longest side of a file, in pixels.
    package var maxEncodedSide: Int { traits.maxSide }
    /// The time for encoding a pixel, relative to JPEG: a rough guess.
    package var encodingCost: Double { traits.encoding?.cost ?? 1 }

    /// Formats that are decoded by default.
    package static let decodable = allCases.filter(\.traits.isDecoded)
    /// Formats that are decoded by default, or if the operator names them.
    package static let openable = allCases.filter { $0.traits.isDecoded || $0.traits.isDecodedByName }
    /// Whether the format is a drawing without pixels of its own, which can be rendered at any size.
    package var isDrawing: Bool { traits.isDrawing }
    /// Formats that a request may name. The codecs of a build decide which of them can be encoded.
    package static let encodable = allCases.filter { $0.traits.encoding != nil }
}
