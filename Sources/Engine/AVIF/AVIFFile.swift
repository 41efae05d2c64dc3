import ImageHeads
import TintypeImages

/// The file around coded AV1 pictures: boxes of ISO/IEC 14496-12 and 23008-12, as the AV1 Image File Format 1.1 asks for. Pure.
enum AVIFFile {
    /// The code points of sRGB, mixed as in a JPEG.
    static let sRGB = CodedColors(primaries: 1, transfer: 13, matrix: 6, isFullRange: true)

    /// - Parameters:
    ///   - color: the coded planes of a picture.
    ///   - alpha: its coded transparency, as a gray picture of the same size and depth.
    ///   - tracks: the times of the frames, if there are several; the first one is the still picture for readers without animation.
    ///   - profile: the ICC profile; without one the colors are those of sRGB.
    /// - Returns: the bytes of the whole file.
    static func of(_ planes: AV1Planes, _ color: AV1Coder.Coded, alpha: AV1Coder.Coded?, tracks: AVIFTracks? = nil, profile: [UInt8]? = nil) -> [UInt8] {
        var brands = text(tracks == nil ? "avif" : "avis") + BigEndian.bytes(0, 4) + text(tracks == nil ? "avifmif1miaf" : "avisavifmsf1iso8mif1miaf")
        if let brand = brand(color) { brands += text(brand) }
        let type = box("ftyp", brands)
        let coded = alpha.map { [color, $0] } ?? [color]
        func boxes(_ start: Int) -> [UInt8] {
            var (at, places) = (start, [Place]())
            for one in coded {
                places.append(Place(at: at, count: one.frames[0].count))
                at += one.bytes
            }
            return meta(planes, color, alpha, places, profile) + (tracks?.box(planes, color, alpha, start: start, profile: profile) ?? [])
        }
        // The boxes have the same length wherever the pictures are.
        let start = type.count + boxes(0).count + 8
        return type + boxes(start) + box("mdat", coded.flatMap { $0.frames.joined() })
    }

    /// Returns the brand for the bounds that the picture keeps (AV1 Image File Format, §8).
    /// They are level 5.1 in the main profile, and 6.0 in the high one. Other pictures have no brand.
    private static func brand(_ color: AV1Coder.Coded) -> String? {
        switch color.profile {
        case 0: color.level <= 13 ? "MA1B" : nil
        case 1: color.level <= 16 ? "MA1A" : nil
        default: nil
        }
    }

    /// The bytes of an item in the file.
    private struct Place {
        let at: Int
        let count: Int
    }

    private static func meta(
        _ planes: AV1Planes, _ color: AV1Coder.Coded, _ alpha: AV1Coder.Coded?, _ places: [Place], _ profile: [UInt8]?
    ) -> [UInt8] {
        var content = full("hdlr", BigEndian.bytes(0, 4) + text("pict") + BigEndian.bytes(0, 13))
        content += full("pitm", BigEndian.bytes(1, 2))
        content += locations(places) + items(places.count)
        if alpha != nil { content += full("iref", box("auxl", BigEndian.bytes(2, 2) + BigEndian.bytes(1, 2) + BigEndian.bytes(1, 2))) }
        content += properties(planes, color, alpha, profile)
        return full("meta", content)
    }

    /// Each item has one extent, with an offset and a length of four bytes.
    private static func locations(_ places: [Place]) -> [UInt8] {
        var content: [UInt8] = [0x44, 0] + BigEndian.bytes(places.count, 2)
        for (index, place) in places.enumerated() {
            content +=
                BigEndian.bytes(index + 1, 2) + BigEndian.bytes(0, 2) + BigEndian.bytes(1, 2) + BigEndian.bytes(place.at, 4) + BigEndian.bytes(place.count, 4)
        }
        return full("iloc", content)
    }

    private static func items(_ count: Int) -> [UInt8] {
        var content = BigEndian.bytes(count, 2)
        for item in 1...count { content += full("infe", BigEndian.bytes(item, 2) + BigEndian.bytes(0, 2) + text("av01") + [0], version: 2) }
        return full("iinf", content)
    }

    private static func properties(_ planes: AV1Planes, _ color: AV1Coder.Coded, _ alpha: AV1Coder.Coded?, _ profile: [UInt8]?) -> [UInt8] {
        let depth = UInt8(planes.depth)
        var list = full("ispe", BigEndian.bytes(planes.size.width, 4) + BigEndian.bytes(planes.size.height, 4))
        list += full("pixi", planes.isGray ? [1, depth] : [3, depth, depth, depth])
        list += configuration(color, planes.depth, isGray: planes.isGray, isHalf: planes.isGray || !planes.isFullColor) + coded(planes.colors)
        // For each item: its number, and the numbers of its properties from 1. The highest bit says that a reader must know the property.
        let last: UInt8 = alpha == nil ? 5 : 8
        var owned = BigEndian.bytes(1, 2) + (profile == nil ? [4, 1, 2, 0x83, 4] : [5, 1, 2, 0x83, 4, last])
        if let alpha {
            list += full("pixi", [1, depth])
            list += configuration(alpha, planes.depth, isGray: true, isHalf: true)
            list += full("auxC", alphaName)
            owned += BigEndian.bytes(2, 2) + [4, 1, 5, 0x86, 7]
        }
        if let profile { list += box("colr", text("prof") + profile) }
        return box("iprp", box("ipco", list) + full("ipma", BigEndian.bytes(alpha == nil ? 1 : 2, 4) + owned))
    }

    static let alphaName = text("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha") + [0]

    static func coded(_ colors: CodedColors) -> [UInt8] {
        box("colr", text("nclx") + [colors.primaries, colors.transfer, colors.matrix].flatMap { BigEndian.bytes($0, 2) } + [0x80])
    }

    /// AV1 in ISOBMFF, §2.3.
    static func configuration(_ coded: AV1Coder.Coded, _ depth: Int, isGray: Bool, isHalf: Bool) -> [UInt8] {
        var layout: UInt8 = isHalf ? 0x0c : 0
        if depth > 8 { layout |= 0x40 }
        if depth > 10 { layout |= 0x20 }
        if isGray { layout |= 0x10 }
        return box("av1C", [0x81, UInt8(coded.profile << 5 | coded.level), layout, 0])
    }

    static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] { BigEndian.bytes(8 + content.count, 4) + text(type) + content }

    /// A box with a version and flags.
    static func full(_ type: String, _ content: [UInt8], version: UInt8 = 0, flags: UInt8 = 0) -> [UInt8] { box(type, [version, 0, 0, flags] + content) }
}
