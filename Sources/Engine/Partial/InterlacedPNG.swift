import PNG
import TintypeImages

/// Makes a small complete PNG from the received part of an interlaced one, which no decoder shows before its end. The passes are a picture of an
/// eighth, a quarter or a half of the size. Missing pixels of a pass are filled with those of earlier passes. Pure; for pixel processes.
package struct InterlacedPNG {
    private let size: PictureSize
    private let depth: Int
    private let type: UInt8
    private let channels: Int
    /// The chunks before the pixels: palette, profile, orientation.
    private var front: [UInt8] = []
    private let data = Inflation()
    /// The number of source pixels for one pixel of the result, in each direction.
    private let scale: Int

    /// The most bytes to unpack.
    private static let most = 64 << 20

    /// - Parameter wanted: the least width of the result, if the source is as wide.
    /// - Returns: nil if the file is no interlaced PNG, or nothing can be shown yet.
    package static func shown(_ bytes: UnsafeRawBufferPointer, width wanted: Int) -> [UInt8]? {
        guard var picture = InterlacedPNG(ByteReader(bytes: bytes), width: wanted), picture.read(bytes) else { return nil }
        return picture.file()
    }

    private init?(_ reader: ByteReader, width wanted: Int) {
        guard reader.has("IHDR", at: 12), let width = reader.big(16, 4), let height = reader.big(20, 4), let depth = reader.byte(24),
            let type = reader.byte(25), reader.byte(28) == 1, let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][type],
            [1, 2, 4, 8, 16].contains(depth), depth >= 8 || channels == 1, width > 0, height > 0
        else { return nil }
        (size, self.depth, self.type, self.channels) = (PictureSize(width, height), Int(depth), UInt8(type), channels)
        scale = [8, 4, 2].first { (width + $0 - 1) / $0 >= wanted } ?? 1
    }

    /// Reads the chunks as far as they are there.
    private mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let needed = passes.reduce(0) { $0 + $1.bytes(bitsPerPixel) }
        guard needed <= Self.most else { return false }
        data.room = needed
        let reader = ByteReader(bytes: bytes)
        var isBefore = true
        // After the signature and the header.
        var at = 33
        while let length = reader.big(at, 4), let kind = reader.big(at + 4, 4) {
            let end = min(at + 8 + length, bytes.count)
            if kind == 0x4944_4154 {
                isBefore = false
                guard data.take(UnsafeRawBufferPointer(rebasing: bytes[(at + 8)..<end])) else { break }
            } else if isBefore, end + 4 <= bytes.count, !(kind == Self.transparency && depth < 8 && type == 0) {
                front += bytes[at..<(end + 4)]
            }
            at += 12 + length
        }
        return true
    }

    private static let transparency = 0x7452_4e53

    private var bitsPerPixel: Int { channels * depth }
    /// The bytes of one pixel of the result, where small samples become bytes.
    private var pixelBytes: Int { max(1, bitsPerPixel / 8) }
    private var passes: [Adam7Pass] { Adam7Pass.all(size).filter { $0.block.width >= scale } }

    /// Returns the result as a file.
    private func file() -> [UInt8]? {
        let across = (size.width + scale - 1) / scale
        let down = (size.height + scale - 1) / scale
        guard let rows = rows(across, down) else { return nil }
        let header = PNGChunk.header(width: across, height: down, depth: max(8, depth), type: type)
        return PNGChunk.signature + header + front + PNGChunk.data(rows) + PNGChunk.whole("IEND", [])
    }

    /// Returns the rows of the result, each after a byte for no filter; nil if not one row of the first pass is there.
    private func rows(_ across: Int, _ down: Int) -> [UInt8]? {
        let pitch = 1 + across * pixelBytes
        var rows = [UInt8](repeating: 0, count: pitch * down)
        var at = 0
        for pass in passes where pass.count.width > 0 && pass.count.height > 0 {
            let length = pass.rowBytes(bitsPerPixel)
            var before = [UInt8](repeating: 0, count: length)
            var there = 0
            while there < pass.count.height, let row = row(at, length, after: before) {
                paint(row, pass, there, on: &rows, across, down)
                before = row
                at += 1 + length
                there += 1
            }
            if at == there * (1 + length), there < pass.count.height {
                guard there > 0 else { return nil }
                // Below the last row of the first pass nothing is known yet, so that row is repeated.
                let last = rows[((there * pass.step.height - 1) / scale * pitch)...].prefix(pitch)
                for y in (there * pass.step.height / scale)..<down { rows.replaceSubrange(y * pitch..<(y + 1) * pitch, with: last) }
            }
            guard there == pass.count.height else { break }
        }
        return rows
    }

    /// Returns a row without its filter; nil if the row is missing or broken.
    private func row(_ at: Int, _ length: Int, after before: [UInt8]) -> [UInt8]? {
        guard at + 1 + length <= data.bytes.count else { return nil }
        let filter = PNGFilter(pixel: pixelBytes, count: length)
        var isThere = false
        let row = [UInt8](unsafeUninitializedCapacity: length) { row, count in
            data.bytes.withUnsafeBufferPointer { raw in
                before.withUnsafeBufferPointer { above in
                    guard let raw = raw.baseAddress, let above = above.baseAddress, let row = row.baseAddress else { return }
                    isThere = filter.undo(raw[at], raw + at + 1, above: above, into: row)
                }
            }
            count = isThere ? length : 0
        }
        return isThere ? row : nil
    }

    /// Paints each pixel of a row of a pass at its place, and over the pixels that are not known yet.
    private func paint(_ row: [UInt8], _ pass: Adam7Pass, _ y: Int, on rows: inout [UInt8], _ across: Int, _ down: Int) {
        let pitch = 1 + across * pixelBytes
        let top = (pass.start.height + y * pass.step.height) / scale
        let bottom = min(down, top + max(1, pass.block.height / scale))
        for x in 0..<pass.count.width {
            let left = (pass.start.width + x * pass.step.width) / scale
            let right = min(across, left + max(1, pass.block.width / scale))
            let pixel = pixel(x, of: row)
            for line in top..<bottom {
                for column in left..<right {
                    let place = line * pitch + 1 + column * pixelBytes
                    for index in pixel.indices { rows[place + index] = pixel[index] }
                }
            }
        }
    }

    private func pixel(_ x: Int, of row: [UInt8]) -> [UInt8] {
        guard depth < 8 else { return Array(row[(x * pixelBytes)..<((x + 1) * pixelBytes)]) }
        let most = (1 << depth) - 1
        let sample = Int(row[x * depth / 8]) >> (8 - depth - x * depth % 8) & most
        // An index of a palette stays as it is; gray is stretched.
        return [UInt8(type == 3 ? sample : sample * 255 / most)]
    }
}
