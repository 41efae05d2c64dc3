import Glibc

/// The tone mapping of an HDR transfer curve to SDR. Each channel is mapped by itself, so a table describes the whole map. Pure.
///
/// ITU-R BT.2100 turns the numbers into luminance, and the EETF of ITU-R BT.2390, §5.4, reduces the range. Shadows stay unchanged, and highlights roll off.
/// `docs/decisions/tone-map.md` gives the reasons.
enum ToneMap: String, CaseIterable, Hashable {
    /// The perceptual quantizer, SMPTE ST 2084.
    case pq
    /// Hybrid log-gamma.
    case hlg

    /// - Parameter transfer: the code point of ITU-T H.273.
    /// - Returns: nil for all other curves.
    init?(transfer: Int) {
        switch transfer {
        case 16: self = .pq
        case 18: self = .hlg
        default: return nil
        }
    }

    /// The white of the screen, in cd/m²: the reference white of BT.2408.
    static let white = 203.0
    /// The luminance of the source that becomes white, in cd/m². Brighter light is clipped.
    static let peak = 1000.0

    /// - Parameter code: 0…1.
    /// - Returns: the light of the screen, 0…1.
    func light(of code: Double) -> Double { min(max(Self.shown(luminance(of: code)) / Self.white, 0), 1) }

    /// - Parameter count: the number of entries; the first is for 0, the last for 1.
    func table(_ count: Int) -> [Double] { (0..<count).map { light(of: Double($0) / Double(count - 1)) } }

    /// Returns the luminance of a number, in cd/m². HLG has the system gamma of a display of 1000 cd/m², applied here to each channel.
    func luminance(of code: Double) -> Double {
        switch self {
        case .pq: return Self.decoded(code)
        case .hlg:
            let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
            let scene = code <= 0.5 ? code * code / 3 : (exp((code - c) / a) + b) / 12
            return Self.peak * pow(scene, 1.2)
        }
    }

    // MARK: The curve of BT.2390

    private static let range = encoded(peak)
    /// White, and the knee of the curve, as fractions of the PQ number of the peak.
    private static let top = encoded(white) / range
    private static let knee = 1.5 * top - 0.5

    private static func shown(_ luminance: Double) -> Double {
        let code = min(encoded(luminance) / range, 1)
        guard code > knee else { return decoded(code * range) }
        let t = (code - knee) / (1 - knee)
        let (square, cube) = (t * t, t * t * t)
        let bent = (2 * cube - 3 * square + 1) * knee + (cube - 2 * square + t) * (1 - knee) + (3 * square - 2 * cube) * top
        return decoded(bent * range)
    }

    // MARK: The numbers of PQ

    /// The luminance of PQ's highest number, in cd/m².
    static let brightest = 10000.0

    static let (m1, m2) = (2610.0 / 16384, 2523.0 / 32)
    static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 128, 2392.0 / 128)

    private static func decoded(_ code: Double) -> Double {
        let root = pow(code, 1 / m2)
        return brightest * pow(max(root - c1, 0) / (c2 - c3 * root), 1 / m1)
    }

    private static func encoded(_ luminance: Double) -> Double {
        let root = pow(max(luminance, 0) / brightest, m1)
        return pow((c1 + c2 * root) / (1 + c3 * root), m2)
    }
}
