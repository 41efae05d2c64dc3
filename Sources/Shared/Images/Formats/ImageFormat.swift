/// The picture formats that Tintype knows by name. Whether this build decodes or encodes one is another question.
package enum ImageFormat: String, Sendable, CaseIterable, Hashable {
    case jpeg, png, webp, avif, gif, tiff, heif, jxl, svg, pdf, bmp, ico, jp2, psd

    /// The media type (IANA), for Content-Type.
    package var contentType: String {
        switch self {
        case .svg: "image/svg+xml"
        case .pdf: "application/pdf"
        case .ico: "image/vnd.microsoft.icon"
        case .psd: "image/vnd.adobe.photoshop"
        default: "image/\(rawValue)"
        }
    }

    /// What a file of it is called after the dot.
    package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// Formats whose typed loader is trusted and enabled.
    package static let decodable: [ImageFormat] = [.jpeg, .png, .webp, .avif, .heif, .gif, .tiff]
    /// Formats that can be asked for; what of them a build can encode, its codecs say.
    package static let encodable: [ImageFormat] = [.jpeg, .png, .webp, .avif, .gif, .tiff, .heif, .jxl]
    /// Formats that hold more than one frame, both ways.
    package static let animated: [ImageFormat] = [.gif, .webp]
}
