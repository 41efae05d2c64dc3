package import ImageHeads
package import TintypeImages

/// The pixels of packed channels in an Apple icon: red, green, blue and alpha of 8 bits. Pure; for pixel processes.
package struct ICNSPixels {
    private let reader: ByteReader
    private let entry: IconHeader.Entry

    package var byteCount: Int { entry.width * entry.height * 4 }

    /// - Parameter reader: the whole file.
    package init(_ reader: ByteReader, _ entry: IconHeader.Entry) { (self.reader, self.entry) = (reader, entry) }

    /// Writes the samples, from the upper row on. Pixels without a mask are opaque.
    /// - Returns: whether the codes make all channels. The others are black.
    package func read(into samples: UnsafeMutableRawBufferPointer) -> Bool {
        guard samples.count == byteCount else { return false }
        let bytes = samples.bindMemory(to: UInt8.self)
        for at in bytes.indices { bytes[at] = at % 4 == 3 ? 255 : 0 }
        if let mask = entry.mask { for pixel in 0..<byteCount / 4 { bytes[4 * pixel + 3] = reader.bytes[mask.lowerBound + pixel] } }
        // Channels that nothing packs lie pixel by pixel.
        if entry.bits == 24, entry.place.count == byteCount / 4 * 3 {
            for (index, at) in entry.place.enumerated() { bytes[index / 3 * 4 + index % 3] = reader.bytes[at] }
            return true
        }
        var at = entry.place.lowerBound
        return [3, 0, 1, 2].suffix(entry.bits / 8).allSatisfy { unpack($0, &at, bytes) }
    }

    /// Unpacks one channel: runs of 3 to 130 equal samples, and up to 128 different ones. None leads into the next channel.
    private func unpack(_ channel: Int, _ at: inout Int, _ samples: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        var to = channel
        while to < samples.count {
            guard at < entry.place.upperBound else { return false }
            let code = Int(reader.bytes[at])
            let (isRun, count) = (code >= 128, code >= 128 ? code - 125 : code + 1)
            let next = at + (isRun ? 2 : 1 + count)
            guard next <= entry.place.upperBound, to + 4 * (count - 1) < samples.count else { return false }
            for index in 0..<count { samples[to + 4 * index] = reader.bytes[at + 1 + (isRun ? 0 : index)] }
            (at, to) = (next, to + 4 * count)
        }
        return true
    }
}
