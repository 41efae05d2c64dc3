import Glibc
import TintypeImages

/// The pixels of a PNG that is whole in memory: 8 bits a sample, no palette, no interlacing. All other files, and all faulty ones,
/// are left to libpng, which knows what may be repaired. Pure; for pixel processes.
package struct PNGPixels {
    package let width: Int
    package let height: Int
    /// The samples of a pixel, 1…4.
    package let channels: Int
    private let data: [UnsafeRawBufferPointer]

    /// The most unpacked bytes; the pixels take as much again.
    package static let mostBytes = 48 << 20
    /// The most data chunks. Encoders write one, or one for each 8 KiB or more.
    private static let maxChunks = 1 << 14
    /// The rows between two looks at the clock.
    private static let rowsAtOnce = 64

    /// - Parameter bytes: the file; must stay unchanged as long as this object.
    /// - Returns: nil if the file is left to libpng.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        let reader = ByteReader(bytes: bytes)
        guard reader.big(0, 4) == 0x8950_4e47, reader.big(4, 4) == 0x0d0a_1a0a, reader.has("IHDR", at: 12), let width = reader.big(16, 4),
            let height = reader.big(20, 4), width > 0, height > 0,
            reader.byte(24) == 8, let type = reader.byte(25), let channels = [0: 1, 2: 3, 4: 2, 6: 4][type], reader.byte(28) == 0,
            width <= Self.mostBytes, height <= Self.mostBytes, (width * channels + 1) * height <= Self.mostBytes,
            let data = Self.data(reader)
        else { return nil }
        (self.width, self.height, self.channels, self.data) = (width, height, channels, data)
    }

    /// Returns the contents of the data chunks. nil if one is broken, or if another chunk changes the meaning of the pixels.
    private static func data(_ reader: ByteReader) -> [UnsafeRawBufferPointer]? {
        var data: [UnsafeRawBufferPointer] = []
        var at = 8
        // Data behind another chunk, and chunks that a reader must know, are left to libpng to refuse.
        var hasEnded = false
        while let length = reader.big(at, 4), let kind = reader.big(at + 4, 4), length <= reader.count - at - 12 {
            let content = UnsafeRawBufferPointer(rebasing: reader.bytes[(at + 8)..<(at + 8 + length)])
            // libpng ignores wrong checksums of ancillary chunks.
            let isNeeded = kind & 0x2000_0000 == 0
            if isNeeded, reader.big(at + 8 + length, 4) != Int(ZlibStream.check(UnsafeRawBufferPointer(rebasing: reader.bytes[(at + 4)..<(at + 8 + length)]))) {
                return nil
            }
            switch kind {
            case 0x4945_4e44: return data.isEmpty ? nil : data
            case 0x4948_4452 where at == 8: break
            case 0x4944_4154 where !hasEnded && data.count < Self.maxChunks: data.append(content)
            case 0x7452_4e53: return nil
            default:
                if isNeeded { return nil }
                hasEnded = !data.isEmpty
            }
            at += 12 + length
        }
        return nil
    }

    /// Writes the samples, row by row.
    /// - Parameters:
    ///   - samples: room for `width` × `height` × `channels`.
    ///   - goesOn: called with the progress, 0…1; false stops the work.
    /// - Returns: false if the work was stopped, or if the file is left to libpng after all.
    package func read(into samples: UnsafeMutableRawBufferPointer, goesOn: (Double) -> Bool) -> Bool {
        let pitch = width * channels
        guard samples.count == pitch * height else { return false }
        // If no memory is left, libpng needs less.
        guard let memory = malloc((pitch + 1) * height) else { return false }
        defer { free(memory) }
        let rows = UnsafeMutableRawBufferPointer(start: memory, count: (pitch + 1) * height)
        guard unpack(into: rows), goesOn(0.5) else { return false }
        let filter = PNGFilter(pixel: channels, count: pitch)
        let zeros = [UInt8](repeating: 0, count: pitch)
        return zeros.withUnsafeBufferPointer { zeros in
            var (raw, row) = (rows.baseAddress!.assumingMemoryBound(to: UInt8.self), samples.baseAddress!.assumingMemoryBound(to: UInt8.self))
            var above = zeros.baseAddress!
            for number in 0..<height {
                guard filter.undo(raw.pointee, raw + 1, above: above, into: row) else { return false }
                if number % Self.rowsAtOnce == 0, !goesOn(0.5 + 0.5 * Double(number) / Double(height)) { return false }
                above = UnsafePointer(row)
                (raw, row) = (raw + pitch + 1, row + pitch)
            }
            return true
        }
    }

    private func unpack(into rows: UnsafeMutableRawBufferPointer) -> Bool {
        if data.count == 1 { return ZlibStream.unpack(data[0], into: rows) }
        let count = data.reduce(0) { $0 + $1.count }
        guard count > 0, let memory = malloc(count) else { return false }
        defer { free(memory) }
        let whole = UnsafeMutableRawBufferPointer(start: memory, count: count)
        var at = 0
        for part in data {
            UnsafeMutableRawBufferPointer(rebasing: whole[at...]).copyMemory(from: part)
            at += part.count
        }
        return ZlibStream.unpack(UnsafeRawBufferPointer(whole), into: rows)
    }
}
