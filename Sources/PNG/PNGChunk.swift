import TintypeImages

/// The chunks of a PNG, as they are written.
package enum PNGChunk {
    package static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    /// The bytes of length, name and checksum.
    static let frame = 12

    /// The place behind the header of any PNG.
    package static let afterHeader = signature.count + frame + 13

    /// Returns a chunk with length, name and checksum around its content.
    package static func whole(_ name: StaticString, _ content: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: content.count + frame) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            content.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: bytes[8...]).copyMemory(from: $0) }
            close(name, bytes)
            count = bytes.count
        }
    }

    /// Returns the header of a PNG without interlacing.
    package static func header(width: Int, height: Int, depth: Int, type: UInt8) -> [UInt8] {
        whole("IHDR", size(width: width, height: height) + [UInt8(depth), type, 0, 0, 0])
    }

    /// Returns the first fields of a header.
    package static func size(width: Int, height: Int) -> [UInt8] { BigEndian.bytes(width) + BigEndian.bytes(height) }

    /// Returns the chunks of a sound file between its header and its pixels.
    package static func front(of file: UnsafeRawBufferPointer) -> [UInt8] {
        let reader = ByteReader(bytes: file)
        let start = afterHeader
        var at = start
        while let length = reader.big(at, 4), let kind = reader.big(at + 4, 4), kind != 0x4944_4154, length <= reader.count - at - frame {
            at += frame + length
        }
        return start <= at && at <= file.count ? [UInt8](file[start..<at]) : []
    }

    /// Returns the chunk with the pixels per meter.
    package static func density(across: Int, down: Int) -> [UInt8] { whole("pHYs", BigEndian.bytes(across) + BigEndian.bytes(down) + [1]) }

    /// Returns a chunk with all rows, filtered or not.
    /// - Parameter level: 0 stored, 1 packed quickly, 9 small.
    package static func data(_ rows: [UInt8], level: Int = 1) -> [UInt8] {
        whole(
            "IDAT",
            [UInt8](unsafeUninitializedCapacity: ZlibStream.room(for: rows.count)) { buffer, count in
                count = rows.withUnsafeBytes { ZlibStream.pack($0, level: level, into: UnsafeMutableRawBufferPointer(buffer)) } ?? 0
            })
    }

    /// Writes length, name and checksum around the content of a chunk.
    static func close(_ name: StaticString, _ chunk: UnsafeMutableRawBufferPointer) {
        chunk.copyBytes(from: BigEndian.bytes(chunk.count - frame))
        for index in 0..<4 { chunk[4 + index] = name.utf8Start[index] }
        let check = ZlibStream.check(UnsafeRawBufferPointer(rebasing: chunk[4..<(chunk.count - 4)]))
        UnsafeMutableRawBufferPointer(rebasing: chunk[(chunk.count - 4)...]).copyBytes(from: BigEndian.bytes(Int(check)))
    }
}
