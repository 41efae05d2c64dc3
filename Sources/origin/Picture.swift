import PNG

/// A computed picture: sky, sun, hills and a lake, as an uncompressed PNG. It needs no licensed file and has the same bytes every time.
enum Picture {
    /// Returns the PNG file of a picture of this size.
    static func png(width: Int, height: Int) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity((width * 3 + 1) * height)
        for y in 0..<height {
            rows.append(0)  // filter: none
            for x in 0..<width { append(color(Double(x) / Double(width), Double(y) / Double(height)), to: &rows) }
        }
        let header = PNGChunk.header(width: width, height: height, depth: 8, type: 2)
        return PNGChunk.signature + header + PNGChunk.data(rows, level: 0) + PNGChunk.whole("IEND", [])
    }

    private static func append(_ color: (Double, Double, Double), to rows: inout [UInt8]) {
        rows.append(UInt8(max(0, min(255, color.0))))
        rows.append(UInt8(max(0, min(255, color.1))))
        rows.append(UInt8(max(0, min(255, color.2))))
    }

    private static func color(_ x: Double, _ y: Double) -> (Double, Double, Double) {
        let ridge = 0.55 + 0.06 * wave(x * 7) + 0.03 * wave(x * 19 + 1)
        let shore = 0.78 + 0.015 * wave(x * 5 + 2)
        if y > shore {  // the lake mirrors the sky, with ripples
            let ripple = 8 * wave(y * 140 + 3 * wave(x * 11))
            return (70 + 60 * (1 - y) + ripple, 110 + 70 * (1 - y) + ripple, 150 + 50 * (1 - y) + ripple)
        }
        if y > ridge {
            let depth = (y - ridge) / (shore - ridge)
            let grain = 10 * wave(x * 90 + y * 130)
            return (40 + 50 * depth + grain, 80 + 70 * depth + grain, 45 + 20 * depth)
        }
        let distance = (x - 0.7) * (x - 0.7) * 1.8 + (y - 0.3) * (y - 0.3)
        let sun = distance < 0.004 ? 1 : max(0, 0.5 - distance * 9)
        return (120 + 110 * y + 120 * sun, 160 + 60 * y + 90 * sun, 225 - 40 * y + 20 * sun)
    }

    /// Returns a smooth wave of period 1 between −1 and 1 without the math library: a parabola for each half.
    private static func wave(_ t: Double) -> Double {
        let phase = (t - t.rounded(.down)) * 2 - 1
        return 4 * phase * (1 - abs(phase))
    }
}
