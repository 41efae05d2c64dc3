import Glibc

@testable import Engine

/// A picture of plain numbers, and the operations by their definitions: no libvips, no integers in between, no shortcut. Slow, and short enough
/// to be read beside the definitions.
struct ReferencePicture {
    let width: Int
    let height: Int
    let bands: Int
    /// 0…255, row by row, the bands of a pixel beside each other.
    private(set) var samples: [Double]

    /// - Parameter pixel: its bands at a place.
    init(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> [Double]) {
        (self.width, self.height) = (width, height)
        samples = (0..<height).flatMap { y in (0..<width).flatMap { x in pixel(x, y) } }
        bands = samples.count / (width * height)
    }

    private init(_ width: Int, _ height: Int, _ bands: Int, _ samples: [Double]) {
        (self.width, self.height, self.bands, self.samples) = (width, height, bands, samples)
    }

    /// Returns waves, an edge and a few dots: something for every frequency, in whole numbers.
    static func test(_ width: Int, _ height: Int) -> ReferencePicture {
        ReferencePicture(width, height) { x, y in
            let (u, v) = (Double(x) / Double(width), Double(y) / Double(height))
            let wave = 128 + 90 * sin(2 * .pi * (3 * u + 1.5 * v)) * cos(2 * .pi * 2 * v)
            let edge = u * 0.8 + v > 0.9 ? 200.0 : 40
            let dot = (x / 5 + y / 7) % 4 == 0 ? 230.0 : 30
            return [wave, edge, dot].map { $0.rounded() }
        }
    }

    subscript(_ x: Int, _ y: Int) -> [Double] {
        let at = (y * width + x) * bands
        return Array(samples[at..<at + bands])
    }

    /// Returns a pixel, with the last ones repeated outside.
    private func held(_ x: Int, _ y: Int) -> [Double] { self[min(max(x, 0), width - 1), min(max(y, 0), height - 1)] }

    func image() throws -> VipsImage {
        let bytes = samples.map { UInt8(min(max($0.rounded(), 0), 255)) }
        return try VipsOperation("copy").set("in", VipsImage.of(bytes, width: width, height: height, bands: bands))
            .set("interpretation", Int(VipsColors.sRGB.rawValue)).image()
    }

    // MARK: Resampling

    /// Resizes with one kernel around each place, as wide as the pixels of the smaller side.
    func resized(_ newWidth: Int, _ newHeight: Int, _ kernel: (Double) -> Double, reach: Double) -> ReferencePicture {
        scaled(newWidth, kernel, reach).transposed.scaled(newHeight, kernel, reach).transposed
    }

    private func scaled(_ newWidth: Int, _ kernel: (Double) -> Double, _ reach: Double) -> ReferencePicture {
        let factor = Double(width) / Double(newWidth)
        let stretch = max(1, factor)
        return combined(
            (0..<newWidth).map { x in
                let middle = (Double(x) + 0.5) * factor - 0.5
                let places = Int((middle - reach * stretch).rounded(.up))...Int((middle + reach * stretch).rounded(.down))
                let weights = places.map { kernel((Double($0) - middle) / stretch) }
                let sum = weights.reduce(0, +)
                return zip(places, weights).map { ($0, $1 / sum) }
            })
    }

    /// Makes each column from some columns, with the given weights.
    private func combined(_ columns: [[(from: Int, share: Double)]]) -> ReferencePicture {
        var made = [Double](repeating: 0, count: columns.count * height * bands)
        samples.withUnsafeBufferPointer { samples in
            for (x, taps) in columns.enumerated() {
                for (from, share) in taps {
                    let column = min(max(from, 0), width - 1)
                    for y in 0..<height {
                        for band in 0..<bands { made[(y * columns.count + x) * bands + band] += samples[(y * width + column) * bands + band] * share }
                    }
                }
            }
        }
        return ReferencePicture(columns.count, height, bands, made)
    }

    private var transposed: ReferencePicture { ReferencePicture(height, width) { x, y in self[y, x] } }

    static func lanczos(_ a: Double) -> (Double) -> Double {
        { x in
            if x == 0 { return 1 }
            return abs(x) < a ? a * sin(.pi * x) * sin(.pi * x / a) / (.pi * .pi * x * x) : 0
        }
    }

    /// The family of Mitchell and Netravali.
    static func cubic(_ b: Double, _ c: Double) -> (Double) -> Double {
        { x in
            let x = abs(x)
            if x < 1 { return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + 6 - 2 * b) / 6 }
            if x < 2 { return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + 8 * b + 24 * c) / 6 }
            return 0
        }
    }

    static func triangle(_ x: Double) -> Double { max(0, 1 - abs(x)) }

    /// Turns clockwise about the middle, on a canvas of the same size; the rest is black.
    func turned(_ degrees: Double) -> ReferencePicture {
        let (c, s) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
        let (middleX, middleY) = (Double(width - 1) / 2, Double(height - 1) / 2)
        let weight = Self.cubic(0, 0.5)
        return ReferencePicture(width, height) { x, y in
            let (dx, dy) = (Double(x) - middleX, Double(y) - middleY)
            let (fromX, fromY) = (c * dx + s * dy + middleX, -s * dx + c * dy + middleY)
            guard fromX > -0.5, fromY > -0.5, fromX < Double(width) - 0.5, fromY < Double(height) - 0.5 else { return [Double](repeating: 0, count: bands) }
            var sum = [Double](repeating: 0, count: bands)
            for row in Int(fromY.rounded(.down)) - 1...Int(fromY.rounded(.down)) + 2 {
                for column in Int(fromX.rounded(.down)) - 1...Int(fromX.rounded(.down)) + 2 {
                    let share = weight(Double(column) - fromX) * weight(Double(row) - fromY)
                    for (band, value) in held(column, row).enumerated() { sum[band] += value * share }
                }
            }
            return sum
        }
    }

    // MARK: Neighbors

    func blurred(_ sigma: Double) -> ReferencePicture {
        let reach = Int((sigma * 4).rounded(.up))
        let weights = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = weights.reduce(0, +)
        func line(_ picture: ReferencePicture) -> ReferencePicture {
            picture.combined((0..<picture.width).map { x in zip(-reach...reach, weights).map { (x + $0, $1 / sum) } })
        }
        return line(line(self).transposed).transposed
    }

    // MARK: Layers

    /// Lays another picture with transparency over this opaque one, by Compositing and Blending Level 1.
    func under(_ layer: ReferencePicture, x: Int, y: Int, opacity: Double, mix: ([Double], [Double]) -> [Double]) -> ReferencePicture {
        ReferencePicture(width, height) { column, row in
            let below = self[column, row]
            let (u, v) = (column - x, row - y)
            guard u >= 0, v >= 0, u < layer.width, v < layer.height else { return below }
            let above = layer[u, v]
            let alpha = above[3] / 255 * opacity
            let mixed = mix(below.prefix(3).map { $0 / 255 }, above.prefix(3).map { $0 / 255 })
            return (0..<3).map { band in below[band] * (1 - alpha) + 255 * alpha * mixed[band] }
        }
    }
}
