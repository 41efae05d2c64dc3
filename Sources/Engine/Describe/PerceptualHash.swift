import Glibc

/// A hash of 64 bits that stays nearly the same when a picture is scaled, compressed or slightly brightened. The bits say which of the picture's
/// slowest waves exceed their median. They have the order of pHash and of Python's imagehash, so that their hashes are near ours.
struct PerceptualHash {
    let bits: UInt64
    /// The hash as 16 hexadecimal digits.
    var text: String { String(repeating: "0", count: 16 - String(bits, radix: 16).count) + String(bits, radix: 16) }

    private static let side = 32
    private static let kept = 8

    init(of raster: PixelRaster) {
        let gray = Self.gray(raster.onWhite)
        // The waves along each row, then along each column of the kept ones.
        let waves: [[Double]] = (0..<Self.kept).map { wave in
            let step = Double.pi * Double(wave) / Double(Self.side)
            return (0..<Self.side).map { cos(step * (Double($0) + 0.5)) }
        }
        var values: [Double] = []
        for down in 0..<Self.kept {
            for across in 0..<Self.kept {
                var sum = 0.0
                for y in 0..<Self.side {
                    var line = 0.0
                    for x in 0..<Self.side { line += gray[y * Self.side + x] * waves[across][x] }
                    sum += line * waves[down][y]
                }
                values.append(sum)
            }
        }
        let sorted = values.sorted()
        let median = (sorted[31] + sorted[32]) / 2
        bits = values.reduce(0) { $0 << 1 | ($1 > median ? 1 : 0) }
    }

    /// Returns 32 × 32 levels, each the average of the pixels below it.
    private static func gray(_ raster: PixelRaster) -> [Double] {
        let levels = (0..<raster.count).map { index in
            let pixel = raster[index]
            return (pixel.red * 19595 + pixel.green * 38470 + pixel.blue * 7471) / 65536
        }
        if raster.width == side, raster.height == side { return levels.map { ($0 + 0.5).rounded(.down) } }
        let columns = shares(raster.width)
        let rows = shares(raster.height)
        return rows.flatMap { row in
            columns.map { column in
                row.reduce(0) { sum, line in
                    sum + line.weight * column.reduce(0) { $0 + $1.weight * levels[line.place * raster.width + $1.place] }
                }
            }
        }
    }

    /// Returns for each of 32 parts of a side its pixels, and the share of the part that each pixel takes.
    private static func shares(_ length: Int) -> [[(place: Int, weight: Double)]] {
        let size = Double(length) / Double(side)
        return (0..<side).map { part in
            let (from, to) = (Double(part) * size, Double(part + 1) * size)
            return (Int(from)..<min(length, Int(to.rounded(.up)))).compactMap { place in
                let share = (min(to, Double(place + 1)) - max(from, Double(place))) / size
                return share > 0 ? (place, share) : nil
            }
        }
    }
}
