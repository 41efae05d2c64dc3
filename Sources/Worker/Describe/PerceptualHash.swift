import Glibc

/// 64 bits that stay nearly the same when a picture is scaled, compressed or a little lighter: which of its slowest waves are above the
/// median. Bits as pHash and Python's imagehash order them, so that hashes of theirs are near ours.
struct PerceptualHash {
    let bits: UInt64
    /// 16 hexadecimal digits.
    var text: String { String(repeating: "0", count: 16 - String(bits, radix: 16).count) + String(bits, radix: 16) }

    private static let side = 32
    private static let kept = 8

    init(of raster: PixelRaster) {
        let grey = Self.grey(raster.onWhite)
        // The waves along each row, then along each column of those that are kept.
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
                    for x in 0..<Self.side { line += grey[y * Self.side + x] * waves[across][x] }
                    sum += line * waves[down][y]
                }
                values.append(sum)
            }
        }
        let sorted = values.sorted()
        let median = (sorted[31] + sorted[32]) / 2
        bits = values.reduce(0) { $0 << 1 | ($1 > median ? 1 : 0) }
    }

    /// 32 × 32 levels, each the average of what lies below it.
    private static func grey(_ raster: PixelRaster) -> [Double] {
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

    /// For each of 32 parts of a side: which pixels lie in it, and how much of the part each takes.
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
