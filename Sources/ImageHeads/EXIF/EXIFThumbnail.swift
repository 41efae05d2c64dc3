import TintypeImages

/// The thumbnail in the EXIF block of a JPEG: a JPEG of its own, which the second directory names (EXIF 3.0, §4.5.8). Nothing outside of the block is read,
/// whatever the bytes are. A value.
package struct EXIFThumbnail: Sendable {
    /// The place of the block in the file.
    package let block: Range<Int>
    /// The place of the thumbnail in the file.
    package let picture: Range<Int>
    /// The header of the thumbnail.
    package let header: ImageHeader

    private static let start = 0x0201, length = 0x0202

    /// - Returns: nil if the file has no thumbnail whose header can be read, or several blocks.
    package init?(_ file: UnsafeRawBufferPointer) {
        guard case .bytes(let block)? = EXIFLocator(file, .jpeg) else { return nil }
        let bytes = ByteReader(bytes: UnsafeRawBufferPointer(rebasing: file[block]))
        guard let reader = TagReader(bytes, at: 0), let second = reader.directory(ofPage: 1) else { return nil }
        let entries = reader.entries(of: second)
        func number(_ tag: Int) -> Int? { entries.first { $0.tag == tag }.flatMap(reader.int) }
        guard let start = number(Self.start), let length = number(Self.length), length > 0, start <= bytes.count, length <= bytes.count,
            reader.start + start + length <= bytes.count
        else { return nil }
        let at = block.lowerBound + reader.start + start
        (self.block, picture) = (block, at..<at + length)
        let found = JPEGHeader.read(ByteReader(bytes: UnsafeRawBufferPointer(rebasing: file[picture])))
        guard let found, found.foreignKind == nil else { return nil }
        header = found
    }
}
