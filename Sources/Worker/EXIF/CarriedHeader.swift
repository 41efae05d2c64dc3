import ImageHeads
import TintypeImages

/// What a result carries along of its source's header, by `metadata` and `icc` of its output.
struct CarriedHeader {
    let output: OutputOptions
    let format: ImageFormat
    /// Whether the picture was turned as its header says: then it says so no longer.
    let isUpright: Bool

    /// Beginnings of the names of all fields that tell of a person, a place or a camera, or that only fit the source.
    private static let personal = [
        "exif-", "xmp-", "iptc-", "icc-", "photoshop-", "image-description", "png-comment-", "gif-comment", "heif-", "orientation", "jpeg-thumbnail",
    ]
    /// Fields that savers write.
    private static let written = ["exif-", "xmp-", "iptc-", "icc-", "png-comment-"]
    private static let rights: [String: (key: String, tag: RightsBlock.Tag)] = [
        "exif-ifd0-Copyright": ("Copyright", .copyright), "exif-ifd0-Artist": ("Author", .artist),
    ]

    /// Whether a saver has anything of it to write.
    static func isCarrying(_ image: VipsImage) -> Bool {
        isCarryingEXIF(image) || image.fields.contains { name in written.contains { name.hasPrefix($0) } }
    }

    /// Whether there is EXIF among that, or something else that goes into the same place.
    static func isCarryingEXIF(_ image: VipsImage) -> Bool { image.orientation != 1 || image.fields.contains { $0.hasPrefix("exif-") } }

    /// Takes away what is not to be carried. Encoders are told so too, but 8.14's WebP rebuilds EXIF from its parts.
    func apply(to header: VipsHeader) {
        let isRights = output.metadata(in: format) == .copyright
        let texts = isRights ? header.rights(Self.rights) : []
        let source = isRights ? header.bytes(Self.block) : nil
        let block = source.flatMap { $0.withUnsafeBytes { EXIFBlock(ByteReader(bytes: $0), at: 0).flatMap { RightsBlock($0) } } }
        let saysNothing = source != nil && block == nil
        header.removeAll { name in
            Self.personal.contains { name.hasPrefix($0) } && !isCarried(name) || saysNothing && name.hasPrefix("exif-")
        }
        // The saver of 8.14 writes EXIF into a PNG only as a block from elsewhere; texts have a place of their own there.
        if format == .png, !saysNothing {
            for (index, text) in texts.enumerated() { header.set("png-comment-\(index)-\(text.key)", block?.plain(text.tag) ?? text.value) }
        } else if let block {
            // From the fields alone libvips would write what it shows of them: `NAME (NAME, ASCII, 5 components, 5 bytes)`.
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
    /// The texts of some EXIF fields under other names.
    fileprivate func rights(_ names: [String: (key: String, tag: RightsBlock.Tag)]) -> [(key: String, tag: RightsBlock.Tag, value: String)] {
        names.sorted { $0.key < $1.key }.compactMap { field, name in text(field).map { (name.key, name.tag, Self.value(of: $0)) } }
    }

    /// libvips says `VALUE (SHOWN, ASCII, 5 components, 5 bytes)`, and the number of bytes counts a zero.
    private static func value(of text: String) -> String {
        guard let end = text.ranges(of: " components, ").last?.lowerBound, let count = text[..<end].split(separator: " ").last.flatMap({ Int($0) }),
            count > 0, count <= text.utf8.count
        else { return text }
        return String(decoding: text.utf8.prefix(count - 1), as: UTF8.self)
    }
}
