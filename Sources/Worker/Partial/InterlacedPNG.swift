import PNG
import TintypeImages

/// Makes a small whole PNG of what is there of an interlaced one, which no decoder shows before its end: its passes are a picture of an
/// eighth, a quarter, a half of the size, and what is missing of a pass is filled with the pixels of those before. Pure; for pixel processes.
package struct InterlacedPNG {
    private let size: PictureSize
    private let depth: Int
    private let type: UInt8
    private let channels: Int
    /// The chunks before the pixels: palette, profile, orientation.
    private var front: [UInt8] = []
    private let data = Inflation()
    /// How many pixels of the source one of the result stands for, in each direction.
    private let scale: Int

    /// The most that is unpacked.
    private static let most = 64 << 20

    /// - Parameter wanted: how wide the result has to be at least, if the source is.
    /// - Returns: nil if it is no interlaced PNG, or nothing of it can be shown.
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

    /// Takes in the chunks as far as they are there.
    private mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let needed = passes.reduce(0) { $0 + $1.bytes(bitsPerPixel) }
        guard needed <= Self.most else { return false }
        data.room = needed
        let reader = ByteReader(bytes: bytes)
        var isBefore = true
        // Behind the signature and the header.
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
    /// Of the result: small samples become bytes.
    private var pixelBytes: Int { max(1, bitsPerPixel / 8) }
    private var passes: [Adam7Pass] { Adam7Pass.all(size).filter { $0.block.width >= scale } }

    /// The result as a file.
    private func file() -> [UInt8]? {
        let across = (size.width + scale - 1) / scale
        let down = (size.height + scale - 1) / scale
        guard let rows = rows(across, down) else { return nil }
        let header = PNGChunk.header(width: across, height: down, depth: max(8, depth), type: type)
        return PNGChunk.signature + header + front + PNGChunk.data(rows) + PNGChunk.whole("IEND", [])
    }

    /// The rows of the result, each behind the byte that says that it is not filtered; nil if there is not one row of the first pass.
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
                // Below the last row of the first pass nothing is known yet: it goes on.
                let last = rows[((there * pass.step.height - 1) / scale * pitch)...].prefix(pitch)
                for y in (there * pass.step.height / scale)..<down { rows.replaceSubrange(y * pitch..<(y + 1) * pitch, with: last) }
            }
            guard there == pass.count.height else { break }
        }
        return rows
    }

    /// A row as it was before it was filtered; nil if it is not there, or broken.
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

    /// Puts each pixel of a row of a pass where it belongs, and where nothing better is known yet.
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
        // A number in the palette stays one; grey is stretched.
        return [UInt8(type == 3 ? sample : sample * 255 / most)]
    }
}
