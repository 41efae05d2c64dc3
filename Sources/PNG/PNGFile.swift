import Glibc

/// A PNG of pixels in memory: 8 bits a sample, no palette, no interlacing, no metadata except size and density. Pure; for pixel processes.
package struct PNGFile {
    package let width: Int
    package let height: Int
    /// The samples of a pixel: gray, gray with alpha, RGB, RGBA.
    package let channels: Int
    /// The pixels per meter; nil: the file states none.
    package let density: (across: Int, down: Int)?

    package init(width: Int, height: Int, channels: Int, density: (across: Int, down: Int)?) {
        (self.width, self.height, self.channels, self.density) = (width, height, channels, density)
    }

    /// The most samples that are packed at once. Packing cannot be stopped, and this many take a quarter of a second at effort 6, one second at 9.
    package static let mostBytes = 8 << 20

    /// The levels of libdeflate by effort. In drawings a long search for repetitions pays off. Filtered rows have few repetitions: level 6 takes
    /// twice as long as 4 and saves 2 %.
    private static let (filteredLevels, plainLevels) = ([0, 1, 2, 3, 3, 4, 4, 6, 7, 9], [0, 1, 3, 4, 5, 6, 7, 7, 8, 9])

    /// Returns the rows in the form that packs best, and libdeflate's level for an effort.
    static func rows(_ samples: UnsafeRawBufferPointer, pitch: Int, pixel: Int, height: Int, effort: Int) -> (rows: PNGRows, level: Int) {
        let plain = PNGRows(samples, pitch: pitch, pixel: pixel, isFiltered: false)
        let filtered = PNGRows(samples, pitch: pitch, pixel: pixel, isFiltered: true)
        let isFiltered = filtered.sample(of: height) < plain.sample(of: height)
        return (isFiltered ? filtered : plain, (isFiltered ? filteredLevels : plainLevels)[min(max(effort, 0), 9)])
    }

    /// - Parameters:
    ///   - samples: `width` × `height` × `channels`, row by row.
    ///   - effort: 0 stored, 1 fastest, 9 smallest.
    /// - Returns: the file, in memory of malloc that the caller frees; nil if no memory is left.
    package func encode(_ samples: UnsafeRawBufferPointer, effort: Int) -> UnsafeMutableRawBufferPointer? {
        let pitch = width * channels
        guard (1...4).contains(channels), samples.count == pitch * height, !samples.isEmpty else { return nil }
        let (rows, level) = Self.rows(samples, pitch: pitch, pixel: channels, height: height, effort: effort)
        return rows.withBytes(0..<height) { bytes in
            let header = PNGChunk.header(width: width, height: height, depth: 8, type: [0, 4, 2, 6][channels - 1])
            let front = PNGChunk.signature + header + (density.map { PNGChunk.density(across: $0.across, down: $0.down) } ?? [])
            let end = PNGChunk.whole("IEND", [])
            let most = front.count + PNGChunk.frame + ZlibStream.room(for: bytes.count) + end.count
            guard let memory = malloc(most) else { return nil }
            let file = UnsafeMutableRawBufferPointer(start: memory, count: most)
            guard let count = ZlibStream.pack(bytes, level: level, into: UnsafeMutableRawBufferPointer(rebasing: file[(front.count + 8)...])) else {
                free(memory)
                return nil
            }
            file.copyBytes(from: front)
            let behind = front.count + PNGChunk.frame + count
            PNGChunk.close("IDAT", UnsafeMutableRawBufferPointer(rebasing: file[front.count..<behind]))
            UnsafeMutableRawBufferPointer(rebasing: file[behind...]).copyBytes(from: end)
            return UnsafeMutableRawBufferPointer(rebasing: file[..<(behind + end.count)])
        }
    }
}
