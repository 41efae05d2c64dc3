package import ImageHeads
package import TintypeImages

/// The pixels of a bitmap, as red, green, blue and perhaps alpha of 8 bits. Nothing is read beyond the end of the file; missing rows are reported. Pure;
/// for pixel processes.
package struct BMPPixels {
    private let reader: ByteReader
    private let header: BMPHeader
    private let palette: [SIMD4<UInt8>]

    /// The samples of a pixel.
    package var channels: Int { header.hasAlpha ? 4 : 3 }
    package var byteCount: Int { header.width * header.height * channels }

    package init(_ reader: ByteReader, _ header: BMPHeader) {
        (self.reader, self.header) = (reader, header)
        let place = header.palette
        var colors = stride(from: place.lowerBound, to: place.upperBound - header.paletteEntry + 1, by: header.paletteEntry).map { at in
            SIMD4<UInt8>(reader.bytes[at + 2], reader.bytes[at + 1], reader.bytes[at], 255)
        }
        // Indices without a color are black.
        if header.bits <= 8 { colors += Array(repeating: SIMD4(0, 0, 0, 255), count: max(0, 256 - colors.count)) }
        palette = colors
    }

    /// Writes the samples, from the upper row on.
    /// - Parameter samples: room for `byteCount`.
    /// - Returns: the number of rows in the file. The others are black, or transparent.
    package func read(into samples: UnsafeMutableRawBufferPointer) -> Int {
        guard samples.count == byteCount, !samples.isEmpty else { return 0 }
        let bytes = samples.bindMemory(to: UInt8.self)
        if header.packing == .runs { return readRuns(into: bytes) }
        // The last row may lack its padding.
        let needed = (header.width * header.bits + 7) / 8
        let there = min(header.height, max(0, reader.count - header.pixels + header.pitch - needed) / header.pitch)
        if there < header.height { bytes.update(repeating: 0) }
        for row in 0..<there { write(row, from: header.pixels + row * header.pitch, bytes) }
        if header.hasAlpha { showAll(bytes) }
        return there
    }

    private func start(of row: Int) -> Int { (header.isTopDown ? row : header.height - 1 - row) * header.width * channels }

    private func write(_ row: Int, from at: Int, _ samples: UnsafeMutableBufferPointer<UInt8>) {
        var to = start(of: row)
        let (width, bits) = (header.width, header.bits)
        let line = reader.bytes[at..<min(at + header.pitch, reader.count)]
        switch bits {
        case 24:
            for x in 0..<width {
                let from = at + 3 * x
                (samples[to], samples[to + 1], samples[to + 2]) = (line[from + 2], line[from + 1], line[from])
                to += 3
            }
        case 16, 32:
            let fields = header.masks.map(BitField.init)
            let length = bits / 8
            for x in 0..<width {
                let from = at + length * x
                var pixel = UInt32(line[from]) | UInt32(line[from + 1]) << 8
                if length == 4 { pixel |= UInt32(line[from + 2]) << 16 | UInt32(line[from + 3]) << 24 }
                for channel in 0..<channels { samples[to + channel] = fields[channel].value(pixel) }
                to += channels
            }
        default:
            let (each, most) = (8 / bits, UInt8(truncatingIfNeeded: 1 << bits - 1))
            for x in 0..<width {
                let color = palette[Int(line[at + x / each] >> UInt8(8 - bits - x % each * bits) & most)]
                (samples[to], samples[to + 1], samples[to + 2]) = (color.x, color.y, color.z)
                to += 3
            }
        }
    }

    /// Makes a completely transparent bitmap opaque. Such files were written by programs that do not know alpha.
    private func showAll(_ samples: UnsafeMutableBufferPointer<UInt8>) {
        let alphas = stride(from: 3, to: samples.count, by: 4)
        guard alphas.allSatisfy({ samples[$0] == 0 }) else { return }
        for at in alphas { samples[at] = 255 }
    }

    // MARK: Runs

    /// Reads the runs. Skipped pixels have the first color, and so does the rest of a row that ends early.
    private func readRuns(into samples: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let (width, height, isSmall) = (header.width, header.height, header.bits == 4)
        for at in stride(from: 0, to: samples.count, by: 3) { (samples[at], samples[at + 1], samples[at + 2]) = (palette[0].x, palette[0].y, palette[0].z) }
        var (at, x, y) = (header.pixels, 0, 0)
        func put(_ count: Int, _ number: (Int) -> Int) {
            var to = start(of: y) + x * 3
            // Pixels beyond the row are dropped.
            for index in 0..<min(count, max(0, width - x)) {
                let color = palette[number(index)]
                (samples[to], samples[to + 1], samples[to + 2]) = (color.x, color.y, color.z)
                to += 3
            }
            x += count
        }
        while y < height, let count = reader.byte(at), let value = reader.byte(at + 1) {
            at += 2
            switch (count, value) {
            case (0, 0): (x, y) = (0, y + 1)
            case (0, 1): return height
            case (0, 2):
                guard let across = reader.byte(at), let down = reader.byte(at + 1) else { return y }
                (x, y, at) = (x + across, y + down, at + 2)
            case (0, _):
                let length = isSmall ? (value + 1) / 2 : value
                guard reader.count - at >= length else { return y }
                let bytes = UnsafeRawBufferPointer(rebasing: reader.bytes[at..<at + length])
                put(value) { index in isSmall ? Int(bytes[index / 2] >> (index % 2 == 0 ? 4 : 0) & 15) : Int(bytes[index]) }
                // Padded to whole words.
                at += length + length % 2
            default: put(count) { index in isSmall ? value >> (index % 2 == 0 ? 4 : 0) & 15 : value }
            }
        }
        return min(height, x > 0 ? y + 1 : y)
    }
}

/// A field of a pixel's bits, as a number of 8 bits.
private struct BitField {
    private let mask: UInt32
    private let shift: UInt32
    private let most: UInt32

    init(_ mask: UInt32) {
        (self.mask, shift) = (mask, UInt32(mask == 0 ? 0 : mask.trailingZeroBitCount))
        most = mask >> shift
    }

    func value(_ pixel: UInt32) -> UInt8 {
        if most == 255 { return UInt8(truncatingIfNeeded: (pixel & mask) >> shift) }
        guard most > 0 else { return 0 }
        return UInt8((UInt64((pixel & mask) >> shift) * 255 + UInt64(most) / 2) / UInt64(most))
    }
}
