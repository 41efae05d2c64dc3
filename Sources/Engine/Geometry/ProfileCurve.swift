import Glibc
import TintypeImages

/// The curve of a profile from numbers to light, both 0…1: the types `curv` and `para` (ICC.1:2022, 10.6 and 10.18). Pure.
enum ProfileCurve {
    /// Samples at equal distances, at least two.
    case table([Double])
    /// g, and then a to f as far as the type has them.
    case formula(Int, [Double])

    /// - Returns: nil for damaged and unknown curves.
    init?(_ reader: ByteReader, _ at: Int) {
        if reader.has("curv", at: at), let count = reader.big(at + 8, 4), count <= 65536 {
            let samples = (0..<count).compactMap { reader.big(at + 12 + 2 * $0, 2) }
            guard samples.count == count else { return nil }
            // No sample is a straight line. One is an exponent.
            self = count < 2 ? .formula(0, [Double(samples.first ?? 256) / 256]) : .table(samples.map { Double($0) / 65535 })
        } else if reader.has("para", at: at), let kind = reader.big(at + 8, 2), kind < 5 {
            let numbers = (0..<[1, 3, 4, 5, 7][kind]).compactMap { reader.big(at + 12 + 4 * $0, 4) }.map { Double(Int32(truncatingIfNeeded: $0)) / 65536 }
            guard numbers.count == [1, 3, 4, 5, 7][kind] else { return nil }
            self = .formula(kind, numbers)
        } else {
            return nil
        }
    }

    func light(of code: Double) -> Double {
        let light: Double
        switch self {
        case .table(let samples):
            let place = code * Double(samples.count - 1), index = min(Int(place), samples.count - 2)
            light = samples[index] + (samples[index + 1] - samples[index]) * (place - Double(index))
        case .formula(0, let numbers): light = pow(code, numbers[0])
        case .formula(let kind, let numbers):
            // Types 1 to 4: a power, a straight foot below it, and numbers that are added.
            let (exponent, a, b) = (numbers[0], numbers[1], numbers[2])
            let isPower = kind < 3 ? a * code + b >= 0 : code >= numbers[4]
            let foot = kind < 3 ? 0 : numbers[3] * code + (kind == 4 ? numbers[6] : 0)
            light = (isPower ? pow(max(a * code + b, 0), exponent) + (kind == 4 ? numbers[5] : 0) : foot) + (kind == 2 ? numbers[3] : 0)
        }
        return light > 0 ? min(light, 1) : 0
    }

    /// Returns the number of sRGB with the same light.
    func sRGB(of code: Double) -> Double { SRGBCurve.code(of: light(of: code)) }

    /// Whether a straight line between 33 points, as LittleCMS has them, would miss this curve by more than a number of eight bits.
    var isBent: Bool {
        let points: [Double] = (0...64).map { Self.lightness(light(of: Double($0) / 64)) }
        return (0..<32).contains { cell in
            let line: Double = (points[2 * cell] + points[2 * cell + 2]) / 2
            return abs(points[2 * cell + 1] - line) > 0.4
        }
    }

    /// L* of CIELAB, between whose numbers LittleCMS interpolates.
    private static func lightness(_ light: Double) -> Double { light > 216.0 / 24389 ? 116 * cbrt(light) - 16 : light * 24389 / 27 }
}

/// The curve of sRGB (IEC 61966-2-1), between numbers and light, both 0…1.
enum SRGBCurve {
    static func light(of code: Double) -> Double { code <= 0.04045 ? code / 12.92 : pow((code + 0.055) / 1.055, 2.4) }
    static func code(of light: Double) -> Double { light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055 }
}
