import ImageHeads
import TintypeImages

/// The metadata of a TIFF page as an EXIF block of its own. It has the tags of the page's directory that EXIF has too, and the directories of the
/// camera and of the place. Values are copied byte by byte in the file's own byte order. A value. The block is never longer than a JPEG has room for,
/// whatever the file says.
struct TIFFTags {
    /// The block with the six bytes that JPEG puts before it, as libvips expects.
    let block: [UInt8]

    /// - Parameter page: the page of the camera and the place. An artist or copyright that it does not state is taken from the first page.
    /// - Returns: nil if there is no such tag.
    init?(_ file: ByteReader, page: Int = 0) {
        guard let reader = TagReader(file, at: 0), let directory = reader.directory(ofPage: page) else { return nil }
        let rights = CopyrightEXIF(EXIFBlock(reader, at: directory), orElse: EXIFBlock(reader, at: reader.first))
        var room = Self.most
        // The copyright comes before all tags that may be long.
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

    /// The most bytes of all values together, and of one.
    private static let most = 48 << 10, longest = 16 << 10
    /// Description, maker, model, program and time. All others belong to TIFF itself, or to one program.
    private static let shared: Set<Int> = [0x010e, 0x010f, 0x0110, 0x0131, 0x0132]
    private static let camera = 0x8769, place = 0x8825
    /// The tags that are valid only in this file: sizes of the picture and offsets in the file. A maker's notes are full of offsets.
    private static let bound: Set<Int> = [0x927c, 0xa002, 0xa003, 0xa005]

    private static func fitting(_ entries: [TagReader.Entry], _ reader: TagReader, _ room: inout Int) -> [EXIFTag] {
        entries.compactMap { reader.value(of: $0, most: longest) }.filter { tag in
            guard tag.size <= room else { return false }
            room -= tag.size
            return true
        }
    }
}
