import ImageHeads
import TintypeImages

/// What a page of a TIFF says of itself beside its pixels, as an EXIF block of its own: the tags of its directory that are EXIF's too, and those of the camera
/// and of the place, to which it points. Values are copied byte by byte in the file's own order of bytes. A value; whatever the file says, it is no longer
/// than a JPEG has room for.
struct TIFFTags {
    /// With the six bytes that JPEG puts before it, as libvips has it.
    let block: [UInt8]

    /// - Parameter page: camera and place are its own. Who made the file and who owns it, where it does not say that, is asked of the first one.
    /// - Returns: nil where there is none of them.
    init?(_ file: ByteReader, page: Int = 0) {
        guard let reader = TagReader(file, at: 0), let directory = reader.directory(ofPage: page) else { return nil }
        let rights = RightsBlock(EXIFBlock(reader, at: directory), orElse: EXIFBlock(reader, at: reader.first))
        var room = Self.most
        // Who owns it comes before all that may be long.
        var own = rights?.tags ?? []
        for tag in own { room -= tag.size }
        let entries = reader.entries(of: directory)
        own += Self.fitting(entries.filter { Self.shared.contains($0.tag) }, reader, &room)
        let parts = [Self.camera, Self.place].compactMap { pointer -> (pointer: Int, tags: [EXIFTag])? in
            guard let at = entries.first(where: { $0.tag == pointer }).flatMap(reader.int) else { return nil }
            let tags = Self.fitting(reader.entries(of: at).filter { !Self.bound.contains($0.tag) }, reader, &room)
            return tags.isEmpty ? nil : (pointer, tags)
        }
        guard !own.isEmpty || !parts.isEmpty else { return nil }
        block = TagWriter(isLittle: reader.isLittle).block(own, parts)
    }

    /// Of all values together, and of one.
    private static let most = 48 << 10, longest = 16 << 10
    /// What the picture shows, maker, model, program and time. All others are of TIFF itself, or of one program.
    private static let shared: Set<Int> = [0x010e, 0x010f, 0x0110, 0x0131, 0x0132]
    private static let camera = 0x8769, place = 0x8825
    /// What holds in this file alone: sizes of the picture, places in the file, and a maker's notes, which are full of those.
    private static let bound: Set<Int> = [0x927c, 0xa002, 0xa003, 0xa005]

    private static func fitting(_ entries: [TagReader.Entry], _ reader: TagReader, _ room: inout Int) -> [EXIFTag] {
        entries.compactMap { reader.value(of: $0, most: longest) }.filter { tag in
            guard tag.size <= room else { return false }
            room -= tag.size
            return true
        }
    }
}
