/// The format of a file by its first bytes. Names and content types from servers are not trusted.
package enum ImageSniff: Sendable, Hashable {
    /// A format with a loader, if the loader is enabled.
    case image(ImageFormat)
    /// A recognized format without a loader: its name, for the error.
    case other(String)

    /// The most bytes to look at; more for a text.
    package static let length = 32

    /// - Returns: nil when nothing is recognized.
    package static func of(_ bytes: [UInt8]) -> ImageSniff? { bytes.withUnsafeBytes { of($0) } }

    package static func of(_ bytes: UnsafeRawBufferPointer) -> ImageSniff? {
        let reader = ByteReader(bytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(length)))
        switch (reader.byte(0), reader.byte(1), reader.byte(2), reader.byte(3)) {
        case (0xff, 0xd8, 0xff, _): return .image(.jpeg)
        case (0x89, 0x50, 0x4e, 0x47): return reader.big(4, 4) == 0x0d0a_1a0a ? .image(.png) : nil
        case (0x49, 0x49, 0x2a, 0x00), (0x4d, 0x4d, 0x00, 0x2a): return .image(.tiff)
        case (0x49, 0x49, 0x2b, 0x00), (0x4d, 0x4d, 0x00, 0x2b): return .other("bigtiff")
        // The RAW files of Olympus and Panasonic. Those of other makers begin like a TIFF.
        case (0x49, 0x49, 0x52, 0x4f), (0x49, 0x49, 0x52, 0x53), (0x4d, 0x4d, 0x4f, 0x52), (0x49, 0x49, 0x55, 0x00): return .image(.raw)
        case (0xff, 0x0a, _, _): return .image(.jxl)
        // The content may be an SVG that keeps libvips' own sniffing busy for ever. Never opened.
        case (0x1f, 0x8b, _, _): return .other("gzip")
        case (0xff, 0x4f, 0xff, 0x51): return .image(.jp2)
        case (0x00, 0x00, 0x01, 0x00): return .image(.ico)
        case (0x50, 0x4b, 0x03, 0x04): return .other("zip")
        default: break
        }
        if reader.has("GIF87a", at: 0) || reader.has("GIF89a", at: 0) { return .image(.gif) }
        if reader.has("RIFF", at: 0), reader.has("WEBP", at: 8) { return .image(.webp) }
        if reader.has("ftyp", at: 4) { return isobmff(reader) }
        if reader.big(0, 4) == 0x0000_000c, reader.has("JXL ", at: 4) { return .image(.jxl) }
        if reader.big(0, 4) == 0x0000_000c, reader.has("jP  ", at: 4) { return .image(.jp2) }
        return named(reader) ?? (XBMText(bytes) == nil ? MarkupSniff.of(bytes) : .image(.xbm))
    }

    private static func isobmff(_ reader: ByteReader) -> ImageSniff? {
        for at in [8, 16, 20, 24, 28] {
            if reader.has("avif", at: at) || reader.has("avis", at: at) { return .image(.avif) }
            if reader.has("heic", at: at) || reader.has("heix", at: at) || reader.has("hevc", at: at) { return .image(.heif) }
        }
        if reader.has("mif1", at: 8) || reader.has("msf1", at: 8) { return .image(.heif) }
        return .other("video")
    }

    private static func named(_ reader: ByteReader) -> ImageSniff? {
        if reader.has("%PDF-", at: 0) { return .image(.pdf) }
        if reader.has("icns", at: 0), reader.count >= 8 { return .image(.icns) }
        if reader.has("8BPS", at: 0) { return .image(.psd) }
        if reader.has("BM", at: 0), reader.count >= 26 { return .image(.bmp) }
        return nil
    }
}

/// The kind of a markup text by its first element: an SVG, a page, or other XML. A declaration, comments and a document type may precede it.
enum MarkupSniff {
    /// - Returns: nil for any other text.
    static func of(_ bytes: UnsafeRawBufferPointer) -> ImageSniff? {
        let text = MarkupText(bytes)
        var place: Int?
        var plain: ImageSniff?
        while let part = text.part(&place) {
            switch part {
            case .instruction(let isXML): if isXML { plain = .other("xml") }
            case .comment: break
            case .type(let name): return kind(name) ?? plain ?? .other("html")
            case .element(let name, _): return kind(name) ?? plain
            }
        }
        return plain
    }

    private static func kind(_ name: String) -> ImageSniff? {
        let name = name.lowercased()
        if name == "html" { return .other("html") }
        // A namespace prefix is possible.
        return name == "svg" || name.hasSuffix(":svg") ? .image(.svg) : nil
    }
}
