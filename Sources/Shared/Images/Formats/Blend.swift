package import TintypeCore

/// How a color mixes with the backdrop: the blend modes of CSS (Compositing and Blending Level 1), and two more of Core Graphics.
package enum Blend: String, Sendable, CaseIterable, Hashable {
    case normal, multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, hardLight, softLight, difference, exclusion
    /// The sum of both, and the sum of what both lack, clamped to the range.
    case plusLighter, plusDarker
    /// One property of the color, and everything else of the backdrop (§10.2).
    case hue, saturation, color, luminosity

    package static let names = allCases.map(\.rawValue)

    /// Reads a blend mode; nil for any other JSON, and for nothing.
    package init?(_ json: JSON?) {
        guard let text = json?.string, let blend = Blend(rawValue: text) else { return nil }
        self = blend
    }

    /// The formula for one opaque channel, 0…1; nil for modes that use three channels at once.
    package var channel: (@Sendable (_ backdrop: Double, _ source: Double) -> Double)? {
        switch self {
        case .normal: { _, source in source }
        case .multiply: { $0 * $1 }
        case .screen: Self.screened
        case .overlay: { Self.hardLit($1, $0) }
        case .darken: { min($0, $1) }
        case .lighten: { max($0, $1) }
        case .colorDodge: { $0 == 0 ? 0 : $1 >= 1 ? 1 : min(1, $0 / (1 - $1)) }
        case .colorBurn: { $0 >= 1 ? 1 : $1 <= 0 ? 0 : 1 - min(1, (1 - $0) / $1) }
        case .hardLight: Self.hardLit
        case .softLight: Self.softLit
        case .difference: { abs($0 - $1) }
        case .exclusion: { $0 + $1 - 2 * $0 * $1 }
        case .plusLighter: { min(1, $0 + $1) }
        case .plusDarker: { max(0, $0 + $1 - 1) }
        case .hue, .saturation, .color, .luminosity: nil
        }
    }

    /// Mixes three channels, 0…1: `source` on `backdrop`, both opaque.
    package func mix(_ backdrop: [Double], _ source: [Double]) -> [Double] {
        if let channel { return zip(backdrop, source).map(channel) }
        let (below, above) = (Lightness(backdrop), Lightness(source))
        return switch self {
        case .hue: above.with(saturation: below.saturation).with(luminosity: below.luminosity).channels
        case .saturation: below.with(saturation: above.saturation).with(luminosity: below.luminosity).channels
        case .color: above.with(luminosity: below.luminosity).channels
        case .luminosity: below.with(luminosity: above.luminosity).channels
        case .normal, .multiply, .screen, .overlay, .darken, .lighten, .colorDodge, .colorBurn, .hardLight, .softLight, .difference, .exclusion,
            .plusLighter, .plusDarker:
            source
        }
    }

    private static func screened(_ backdrop: Double, _ source: Double) -> Double { backdrop + source - backdrop * source }

    private static func hardLit(_ backdrop: Double, _ source: Double) -> Double {
        source <= 0.5 ? backdrop * 2 * source : screened(backdrop, 2 * source - 1)
    }

    private static func softLit(_ backdrop: Double, _ source: Double) -> Double {
        guard source > 0.5 else { return backdrop - (1 - 2 * source) * backdrop * (1 - backdrop) }
        let root = backdrop <= 0.25 ? ((16 * backdrop - 12) * backdrop + 4) * backdrop : backdrop.squareRoot()
        return backdrop + (2 * source - 1) * (root - backdrop)
    }
}
