import ImageHeads
package import TintypeImages

/// The pixels of a bitmap in an icon: red, green, blue and alpha of 8 bits. Pure; for pixel processes.
package struct ICOPixels {
    private let reader: ByteReader
    private let header: BMPHeader
    private let bitmap: BMPPixels

    package var width: Int { header.width }
    package var height: Int { header.height }
    package var byteCount: Int { width * height * 4 }

    /// - Parameter entry: the bytes of one picture. The result is nil if they are no bitmap.
    package init?(_ entry: ByteReader) {
        guard let header = BMPHeader(entry, at: 0, pixels: nil, isIcon: true), header.height > 0, header.foreignKind == nil else { return nil }
        (reader, self.header, bitmap) = (entry, header, BMPPixels(entry, header))
    }

    /// Writes the samples, from the upper row on. If the bitmap itself has no transparency, its mask is used.
    /// - Returns: whether all rows are there. A missing mask hides nothing.
    package func read(into samples: UnsafeMutableRawBufferPointer) -> Bool {
        guard samples.count == byteCount else { return false }
        let bytes = samples.bindMemory(to: UInt8.self)
        if bitmap.channels == 4 {
            let rows = bitmap.read(into: samples)
            // A bitmap without alpha has been made opaque.
            if stride(from: 3, to: bytes.count, by: 4).allSatisfy({ bytes[$0] == 255 }) { hide(bytes) }
            return rows == height
        }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: bitmap.byteCount, alignment: 16)
        defer { room.deallocate() }
        let rows = bitmap.read(into: room)
        for pixel in 0..<width * height {
            for channel in 0..<3 { bytes[4 * pixel + channel] = room[3 * pixel + channel] }
            bytes[4 * pixel + 3] = 255
        }
        hide(bytes)
        return rows == height
    }

    /// Hides pixels by the mask: rows of bits, the lowest row first.
    private func hide(_ samples: UnsafeMutableBufferPointer<UInt8>) {
        guard header.packing == .none else { return }
        let pitch = (width + 31) / 32 * 4
        let start = header.pixels + header.pitch * height
        for row in 0..<height {
            let to = (header.isTopDown ? row : height - 1 - row) * width
            for x in 0..<width {
                guard let byte = reader.byte(start + row * pitch + x / 8) else { return }
                if byte >> (7 - x % 8) & 1 == 1 { samples[4 * (to + x) + 3] = 0 }
            }
        }
    }
}
