import PNG

/// A computed picture: sky, sun, hills and a lake, as an uncompressed PNG. It needs no licensed file and has the same bytes every time.
enum Picture {
    /// The light and the land of a picture. Each number gives another place at another time of the day.
    struct Scene {
        var sun = (x: 0.7, y: 0.3)
        /// Added to red, green and blue: of all, and of the hills.
        var light = (0.0, 0.0, 0.0)
        var land = (0.0, 0.0, 0.0)
        /// Where the hills begin, and how high they are.
        var place = 0.0
        var height = 1.0

        /// The picture of all tests.
        static let usual = Scene()

        init() {}

        init(_ number: Int) {
            // The parts of the golden ratio spread numbers evenly.
            func part(_ step: Double) -> Double { (Double(number) * step).truncatingRemainder(dividingBy: 1) }
            let hour = part(0.6180339887)
            sun = (0.1 + 0.8 * part(0.7548776662), 0.12 + 0.3 * hour)
            // From noon to dusk and night.
            light = hour < 0.5 ? (40 * hour, 0, -30 * hour) : hour < 0.85 ? (90 * (hour - 0.3), -30, -90 * hour) : (-90, -90, -60)
            land = (70 * part(0.5698402910), 40 * part(0.3819660113), 60 * part(0.2451223338))
            (place, height) = (part(0.8191725134), 0.5 + 1.5 * part(0.6710436067))
        }

        /// The number of scenes: the origin keeps each picture that it has drawn.
        static let count = 40

        /// The width and height of the picture of a number, for URLs without a query.
        static func size(_ number: Int) -> (width: Int, height: Int) {
            [(400, 300), (300, 400), (480, 270), (350, 350), (500, 220)][number % 5]
        }
    }

    /// Returns the PNG file of a picture of this size.
    static func png(width: Int, height: Int, _ scene: Scene = .usual) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity((width * 3 + 1) * height)
        for y in 0..<height {
            rows.append(0)  // filter: none
            for x in 0..<width { append(color(Double(x) / Double(width), Double(y) / Double(height), scene), to: &rows) }
        }
        let header = PNGChunk.header(width: width, height: height, depth: 8, type: 2)
        return PNGChunk.signature + header + PNGChunk.data(rows, level: 0) + PNGChunk.whole("IEND", [])
    }

    private static func append(_ color: (Double, Double, Double), to rows: inout [UInt8]) {
        rows.append(UInt8(max(0, min(255, color.0))))
        rows.append(UInt8(max(0, min(255, color.1))))
        rows.append(UInt8(max(0, min(255, color.2))))
    }

    private static func color(_ x: Double, _ y: Double, _ scene: Scene) -> (Double, Double, Double) {
        let (red, green, blue) = scene.light
        let (x, sun) = (x + scene.place, (x: scene.sun.x + scene.place, y: scene.sun.y))
        let color = color(x, y, sun: sun, scene)
        return (color.0 + red, color.1 + green, color.2 + blue)
    }

    private static func color(_ x: Double, _ y: Double, sun: (x: Double, y: Double), _ scene: Scene) -> (Double, Double, Double) {
        let ridge = 0.55 + scene.height * (0.06 * wave(x * 7) + 0.03 * wave(x * 19 + 1))
        let shore = 0.78 + 0.015 * wave(x * 5 + 2)
        if y > shore {  // the lake mirrors the sky, with ripples
            let ripple = 8 * wave(y * 140 + 3 * wave(x * 11))
            return (70 + 60 * (1 - y) + ripple, 110 + 70 * (1 - y) + ripple, 150 + 50 * (1 - y) + ripple)
        }
        if y > ridge {
            let depth = (y - ridge) / (shore - ridge)
            let grain = 10 * wave(x * 90 + y * 130)
            return (40 + 50 * depth + grain + scene.land.0, 80 + 70 * depth + grain + scene.land.1, 45 + 20 * depth + scene.land.2)
        }
        let distance = (x - sun.x) * (x - sun.x) * 1.8 + (y - sun.y) * (y - sun.y)
        let glow = distance < 0.004 ? 1 : max(0, 0.5 - distance * 9)
        return (120 + 110 * y + 120 * glow, 160 + 60 * y + 90 * glow, 225 - 40 * y + 20 * glow)
    }

    /// Returns a smooth wave of period 1 between −1 and 1 without the math library: a parabola for each half.
    private static func wave(_ t: Double) -> Double {
        let phase = (t - t.rounded(.down)) * 2 - 1
        return 4 * phase * (1 - abs(phase))
    }
}
