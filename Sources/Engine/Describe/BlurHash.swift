import Glibc

/// BlurHash (blurha.sh): a picture as a few cosines, written in base 83.
struct BlurHash {
    let text: String

    /// Uses four components along the longer side and three along the other. Transparent parts are put on white.
    init(of raster: PixelRaster) { self.init(of: raster, x: raster.width >= raster.height ? 4 : 3, y: raster.width >= raster.height ? 3 : 4) }

    /// - Parameters:
    ///   - x, y: components along each side, 1…9.
    init(of raster: PixelRaster, x: Int, y: Int) {
        let raster = raster.onWhite
        let linear = (0..<raster.count).map { index in
            let pixel = raster[index]
            return SIMD3(Self.linear(pixel.red), Self.linear(pixel.green), Self.linear(pixel.blue))
        }
        var factors: [SIMD3<Double>] = []
        for row in 0..<y {
            for column in 0..<x { factors.append(Self.factor(linear, raster.width, raster.height, column, row)) }
        }
        var text = Self.digits(x - 1 + (y - 1) * 9, 1)
        let rest = factors.dropFirst()
        let largest = rest.map { max(abs($0.x), abs($0.y), abs($0.z)) }.max() ?? 0
        let scale = rest.isEmpty ? 0 : max(0, min(82, Int(largest * 166 - 0.5)))
        text += Self.digits(scale, 1)
        text += Self.digits(Self.constant(factors[0]), 4)
        for factor in rest { text += Self.digits(Self.varying(factor, Double(scale + 1) / 166), 2) }
        self.text = text
    }

    private static func factor(_ pixels: [SIMD3<Double>], _ width: Int, _ height: Int, _ column: Int, _ row: Int) -> SIMD3<Double> {
        let across = (0..<width).map { cos(.pi * Double(column) * Double($0) / Double(width)) }
        var sum = SIMD3<Double>()
        for line in 0..<height {
            let down = cos(.pi * Double(row) * Double(line) / Double(height))
            for place in 0..<width { sum += pixels[line * width + place] * (across[place] * down) }
        }
        return sum * ((column == 0 && row == 0 ? 1 : 2) / Double(width * height))
    }

    private static func constant(_ color: SIMD3<Double>) -> Int { level(color.x) << 16 | level(color.y) << 8 | level(color.z) }

    private static func varying(_ color: SIMD3<Double>, _ most: Double) -> Int {
        func step(_ value: Double) -> Int {
            let root = (abs(value) / most).squareRoot()
            return max(0, min(18, Int((value < 0 ? -root : root) * 9 + 9.5)))
        }
        return (step(color.x) * 19 + step(color.y)) * 19 + step(color.z)
    }

    /// Returns the light of an sRGB level, 0…1.
    private static func linear(_ level: Double) -> Double { SRGBCurve.light(of: level / 255) }

    private static func level(_ linear: Double) -> Int { Int(SRGBCurve.code(of: max(0, min(1, linear))) * 255 + 0.5) }

    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~")

    private static func digits(_ value: Int, _ count: Int) -> String {
        var (value, text) = (value, "")
        for _ in 0..<count {
            text = String(alphabet[value % 83]) + text
            value /= 83
        }
        return text
    }
}
