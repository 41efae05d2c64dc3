import ImageHeads
import TintypeImages

extension CopyrightEXIF {
    /// Reads the block of a source.
    /// - Parameter header: an image with the header of its source.
    /// - Returns: nil if the source names neither an artist nor a copyright.
    init?(of header: VipsImage) {
        guard let source = header.bytes("exif-data"),
            let rights = source.withUnsafeBytes({ bytes in EXIFBlock(ByteReader(bytes: bytes), at: 0).flatMap { CopyrightEXIF($0) } })
        else { return nil }
        self = rights
    }

    /// Returns a picture with this block. The picture stays as it is if there is no memory for both.
    /// - Parameters:
    ///   - file: a JPEG of the planar path, or a lossy WebP without other chunks.
    ///   - size: the size of the picture.
    func join(to file: VipsBytes, _ format: ImageFormat, size: PictureSize) -> VipsBytes {
        guard format == .webp else { return file.with(JPEGSegments.bytes(0xe1, bytes), at: Self.jfifEnd) }
        let whole = file.with(Self.extended(size), at: Self.firstChunk, end: chunk)
        whole.setRIFFLength()
        return whole
    }

    /// The end of the JFIF header, which must come first and has no thumbnail here.
    private static let jfifEnd = 20
    /// The end of the header of a RIFF file.
    private static let firstChunk = 12

    /// The last chunk of a WebP, without the six bytes that JPEG puts before a block.
    private var chunk: [UInt8] {
        let block = bytes.dropFirst(6)
        return Array("EXIF".utf8) + Self.little(block.count, 4) + block + (block.count % 2 == 1 ? [0] : [])
    }

    /// Returns the extended header of a WebP, which announces EXIF (WebP Container Specification, "Extended File Format").
    private static func extended(_ size: PictureSize) -> [UInt8] {
        let announced: UInt8 = 8
        return Array("VP8X".utf8) + little(10, 4) + [announced, 0, 0, 0] + little(size.width - 1, 3) + little(size.height - 1, 3)
    }

    private static func little(_ number: Int, _ count: Int) -> [UInt8] { BigEndian.bytes(number, count).reversed() }
}
