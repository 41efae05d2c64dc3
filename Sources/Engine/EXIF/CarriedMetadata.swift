import ImageHeads
import TintypeImages

/// The part of the source's header that a result keeps, by the output options `metadata` and `icc`.
struct CarriedMetadata {
    let output: OutputOptions
    let format: ImageFormat
    /// Whether the picture was turned according to its header, which then must not say so any more.
    let isUpright: Bool

    /// The prefixes of all fields about a person, a place or a camera, and of fields that only fit the source.
    private static let personal = [
        "exif-", "xmp-", "iptc-", "icc-", "photoshop-", "image-description", "png-comment-", "gif-comment", "heif-", "orientation", "jpeg-thumbnail",
    ]
    /// The fields that savers write.
    private static let written = ["exif-", "xmp-", "iptc-", "icc-", "png-comment-"]
    private static let rights: [String: (key: String, tag: CopyrightEXIF.Tag)] = [
        "exif-ifd0-Copyright": ("Copyright", .copyright), "exif-ifd0-Artist": ("Author", .artist),
    ]

    /// Whether a saver has anything to write.
    static func isCarrying(_ image: VipsImage) -> Bool {
        isCarryingEXIF(image) || image.fields.contains { name in written.contains { name.hasPrefix($0) } }
    }

    /// Whether there is EXIF, or something else that is stored in the same place.
    static func isCarryingEXIF(_ image: VipsImage) -> Bool { image.orientation != 1 || image.fields.contains { $0.hasPrefix("exif-") } }

    /// Removes the fields that are not kept. Encoders are told so too, but the WebP saver of libvips 8.14 rebuilds EXIF from its parts.
    func apply(to header: VipsHeader) {
        let isRights = output.metadata(in: format) == .copyright
        let texts = isRights ? header.rights(Self.rights) : []
        let source = isRights ? header.bytes(Self.block) : nil
        let block = source.flatMap { $0.withUnsafeBytes { EXIFBlock(ByteReader(bytes: $0), at: 0).flatMap { CopyrightEXIF($0) } } }
        let saysNothing = source != nil && block == nil
        header.removeAll { name in
            Self.personal.contains { name.hasPrefix($0) } && !isCarried(name) || saysNothing && name.hasPrefix("exif-")
        }
        if let packet = header.bytes("xmp-data") {
            // Most formats take UTF-8 only (XMP, part 3). The PNG saver of libvips 8.14 ends a text at its first zero.
            let plain = packet.withUnsafeBytes { MarkupText($0, length: packet.count).plain }
            let properties = isUpright ? (plain ?? packet).withUnsafeBytes { XMPNumbers($0, namespace: "http://ns.adobe.com/tiff/1.0/") } : nil
            if let changed = properties?.replacing("Orientation", with: UInt8(ascii: "1")) ?? plain { header.set("xmp-data", changed) }
        }
        // The saver of libvips 8.14 writes EXIF into a PNG only as an existing block. Texts have chunks of their own there.
        if format == .png, !saysNothing {
            for (index, text) in texts.enumerated() { header.set("png-comment-\(index)-\(text.key)", block?.plain(text.tag) ?? text.value) }
        } else if let block {
            // From the fields alone libvips would write its own display text: `NAME (NAME, ASCII, 5 components, 5 bytes)`.
            header.set(Self.block, block.bytes)
        }
    }

    private static let block = "exif-data"

    private func isCarried(_ name: String) -> Bool {
        if name.hasPrefix("icc-") { return output.keepsProfile(in: format) }
        switch output.metadata(in: format) {
        case .none: return false
        case .copyright: return Self.rights[name] != nil || name.hasPrefix("png-comment-") && Self.rights.values.contains { name.hasSuffix("-" + $0.key) }
        case .all:
            if name == "orientation" || name == "exif-ifd0-Orientation" { return !isUpright }
            return ["exif-", "xmp-", "iptc-", "png-comment-"].contains { name.hasPrefix($0) }
        }
    }
}

extension VipsHeader {
    /// Returns the texts of some EXIF fields under other names.
    fileprivate func rights(_ names: [String: (key: String, tag: CopyrightEXIF.Tag)]) -> [(key: String, tag: CopyrightEXIF.Tag, value: String)] {
        names.sorted { $0.key < $1.key }.compactMap { field, name in text(field).map { (name.key, name.tag, Self.value(of: $0)) } }
    }

    /// Cuts the value out of libvips' form `VALUE (SHOWN, ASCII, 5 components, 5 bytes)`, whose number of bytes includes a zero.
    private static func value(of text: String) -> String {
        guard let end = text.ranges(of: " components, ").last?.lowerBound, let count = text[..<end].split(separator: " ").last.flatMap({ Int($0) }),
            count > 0, count <= text.utf8.count
        else { return text }
        return String(decoding: text.utf8.prefix(count - 1), as: UTF8.self)
    }
}
