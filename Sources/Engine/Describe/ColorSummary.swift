import TintypeImages

/// The colors of a picture: an average, the most frequent one, and a palette. Pixels that are mostly transparent do not count.
struct ColorSummary {
    private typealias Pixel = SIMD3<Double>
    /// The pixels that are at least half opaque, each with its opacity, 0…1.
    private let pixels: [(color: Pixel, weight: Double)]

    init(of raster: PixelRaster) {
        pixels = (0..<raster.count).compactMap { index in
            let pixel = raster[index]
            return pixel.alpha >= 128 ? (Pixel(pixel.red, pixel.green, pixel.blue), pixel.alpha / 255) : nil
        }
    }

    /// The average color; nil for an invisible picture.
    var average: Color? { pixels.isEmpty ? nil : Self.mean(pixels[...]) }

    /// The mean of the fullest of 4,096 boxes, 16 along each of red, green and blue; of equally full ones the darkest.
    var dominant: Color? {
        var boxes: [Int: (weight: Double, sum: Pixel)] = [:]
        for (color, weight) in pixels {
            let box = (Int(color.x) / 16 * 16 + Int(color.y) / 16) * 16 + Int(color.z) / 16
            let old = boxes[box] ?? (0, Pixel())
            boxes[box] = (old.weight + weight, old.sum + color * weight)
        }
        guard let fullest = boxes.max(by: { ($0.value.weight, -$0.key) < ($1.value.weight, -$1.key) })?.value else { return nil }
        return Self.color(fullest.sum / fullest.weight)
    }

    /// Returns up to `count` colors with the share of each, the largest first. The box with the widest spread is halved at its median
    /// until there are enough.
    func palette(_ count: Int) -> [(color: Color, share: Double)] {
        guard !pixels.isEmpty else { return [] }
        var boxes = [pixels[...]]
        while boxes.count < count {
            guard let (index, axis, spread) = Self.widest(boxes), spread > 0 else { break }
            let sorted = boxes[index].sorted { $0.color[axis] < $1.color[axis] }
            // At the first step beyond the median, so that equal colors stay together.
            let median = sorted[sorted.count / 2].color[axis]
            let cut = sorted.firstIndex { $0.color[axis] >= median } ?? 0
            let at = cut > 0 ? cut : sorted.firstIndex { $0.color[axis] > median } ?? 0
            guard at > 0 else { break }
            boxes[index] = sorted[..<at]
            boxes.append(ArraySlice(Array(sorted[at...])))
        }
        let all = pixels.reduce(0) { $0 + $1.weight }
        return boxes.map { box in (Self.mean(box), box.reduce(0) { $0 + $1.weight } / all) }
            .sorted { ($1.share, $0.color.canonical) < ($0.share, $1.color.canonical) }
    }

    /// Returns the box to halve, its widest axis, and the spread along that axis, summed over all pixels.
    private static func widest(_ boxes: [ArraySlice<(color: Pixel, weight: Double)>]) -> (Int, Int, Double)? {
        var best: (Int, Int, Double)?
        for (index, box) in boxes.enumerated() {
            let weight = box.reduce(0) { $0 + $1.weight }
            let mean = box.reduce(Pixel()) { $0 + $1.color * $1.weight } / weight
            let spread = box.reduce(Pixel()) { $0 + ($1.color - mean) * ($1.color - mean) * $1.weight }
            for axis in 0..<3 where spread[axis] > best?.2 ?? 0 { best = (index, axis, spread[axis]) }
        }
        return best
    }

    private static func mean(_ pixels: ArraySlice<(color: Pixel, weight: Double)>) -> Color {
        let weight = pixels.reduce(0) { $0 + $1.weight }
        return color(pixels.reduce(Pixel()) { $0 + $1.color * $1.weight } / weight)
    }

    private static func color(_ pixel: Pixel) -> Color {
        func level(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
        return Color(red: level(pixel.x), green: level(pixel.y), blue: level(pixel.z))
    }
}
