import TintypeImages

/// Bitmaps and icons that tests build number by number.
enum TestBitmaps {
    static func little(_ number: Int, _ bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

    /// Pads a row to whole words.
    static func padded(_ row: [UInt8]) -> [UInt8] { row + [UInt8](repeating: 0, count: (4 - row.count % 4) % 4) }

    /// Returns a header of 40 bytes or more.
    /// - Parameter more: the part behind the first 40 bytes.
    static func header(_ width: Int, _ height: Int, bits: Int, kind: Int = 0, colors: Int = 0, more: [UInt8] = []) -> [UInt8] {
        let size = little(40 + more.count, 4) + little(width, 4) + little(height, 4)
        return size + little(1, 2) + little(bits, 2) + little(kind, 4) + little(0, 4) + little(0, 8) + little(colors, 4) + little(0, 4) + more
    }

    /// - Parameter behind: the part between the header and the pixels: masks, colors.
    static func file(_ header: [UInt8], behind: [UInt8] = [], _ pixels: [UInt8]) -> [UInt8] {
        let start = 14 + header.count + behind.count
        return Array("BM".utf8) + little(start + pixels.count, 4) + little(0, 4) + little(start, 4) + header + behind + pixels
    }

    static func masks(_ masks: [Int]) -> [UInt8] { masks.flatMap { little($0, 4) } }

    /// Returns colors as a palette stores them: blue first.
    static func palette(_ colors: [[UInt8]]) -> [UInt8] { colors.flatMap { [$0[2], $0[1], $0[0], 0] } }

    /// - Parameter entries: the pictures, each with the size that the directory states.
    static func icon(_ entries: [(said: Int, bytes: [UInt8])]) -> [UInt8] {
        var (directory, bytes) = ([UInt8]([0, 0, 1, 0]) + little(entries.count, 2), [UInt8]())
        let start = 6 + 16 * entries.count
        for entry in entries {
            directory += [UInt8(truncatingIfNeeded: entry.said), UInt8(truncatingIfNeeded: entry.said), 0, 0] + little(1, 2) + little(32, 2)
            directory += little(entry.bytes.count, 4) + little(start + bytes.count, 4)
            bytes += entry.bytes
        }
        return directory + bytes
    }

    /// Returns an ICNS: its elements, each with its kind.
    static func apple(_ elements: [(kind: String, bytes: [UInt8])]) -> [UInt8] {
        let body = elements.flatMap { Array($0.kind.utf8) + BigEndian.bytes(8 + $0.bytes.count) + $0.bytes }
        return Array("icns".utf8) + BigEndian.bytes(8 + body.count) + body
    }

    /// Returns a channel as an ICNS packs it: runs, and up to seven different samples.
    static func packed(_ channel: [UInt8]) -> [UInt8] {
        var (codes, at) = ([UInt8](), 0)
        while at < channel.count {
            let run = channel[at...].prefix(130).prefix { $0 == channel[at] }.count
            let part = channel[at...].prefix(run < 3 ? 7 : run)
            codes += run < 3 ? [UInt8(part.count - 1)] + part : [UInt8(run + 125), channel[at]]
            at += part.count
        }
        return codes
    }

    /// Returns an entry of one color (blue, green, red, alpha), whose mask hides the pixels of the given columns.
    static func entry(_ side: Int, _ color: [UInt8], hidden: Set<Int> = []) -> [UInt8] {
        let row: [UInt8] = Array(repeatElement(color, count: side).joined())
        var mask = [UInt8](repeating: 0, count: (side + 31) / 32 * 4)
        for x in hidden { mask[x / 8] |= 0x80 >> UInt8(x % 8) }
        let rows: [UInt8] = Array(repeatElement(row, count: side).joined()) + Array(repeatElement(mask, count: side).joined())
        return header(side, 2 * side, bits: 32) + rows
    }
}
