/// The pieces that a PNG is made of, as they are written.
package enum PNGChunk {
    package static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    /// Length, name and checksum.
    static let frame = 12

    /// One with all that belongs around its content.
    package static func whole(_ name: StaticString, _ content: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: content.count + frame) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            content.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: bytes[8...]).copyMemory(from: $0) }
            close(name, bytes)
            count = bytes.count
        }
    }

    /// The header of a picture that is not interlaced.
    package static func header(width: Int, height: Int, depth: Int, type: UInt8) -> [UInt8] {
        whole("IHDR", big(width) + big(height) + [UInt8(depth), type, 0, 0, 0])
    }

    /// How many pixels a metre has.
    static func density(across: Int, down: Int) -> [UInt8] { whole("pHYs", big(across) + big(down) + [1]) }

    /// All rows, filtered or not.
    /// - Parameter level: 0 stored as they are, 1 packed quickly, 9 small.
    package static func data(_ rows: [UInt8], level: Int = 1) -> [UInt8] {
        whole(
            "IDAT",
            [UInt8](unsafeUninitializedCapacity: ZlibStream.room(for: rows.count)) { buffer, count in
                count = rows.withUnsafeBytes { ZlibStream.pack($0, level: level, into: UnsafeMutableRawBufferPointer(buffer)) } ?? 0
            })
    }

    /// Writes length, name and checksum around the content of a chunk.
    static func close(_ name: StaticString, _ chunk: UnsafeMutableRawBufferPointer) {
        chunk.copyBytes(from: big(chunk.count - frame))
        for index in 0..<4 { chunk[4 + index] = name.utf8Start[index] }
        let check = ZlibStream.check(UnsafeRawBufferPointer(rebasing: chunk[4..<(chunk.count - 4)]))
        UnsafeMutableRawBufferPointer(rebasing: chunk[(chunk.count - 4)...]).copyBytes(from: big(Int(check)))
    }

    private static func big(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
}
