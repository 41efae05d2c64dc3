package import TintypeCore

/// How a colour mixes with what is below it: the separable blend modes of CSS, by the formulas of Compositing and Blending Level 1.
package enum Blend: String, Sendable, CaseIterable, Hashable {
    case normal, multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, hardLight, softLight, difference, exclusion

    package static let names = allCases.map(\.rawValue)

    /// nil for what is no blend mode, and for nothing.
    package init?(_ json: JSON?) {
        guard let text = json?.string, let blend = Blend(rawValue: text) else { return nil }
        self = blend
    }

    /// One channel, 0…1: `source` on `backdrop`, both opaque.
    package func mix(_ backdrop: Double, _ source: Double) -> Double {
        switch self {
        case .normal: source
        case .multiply: backdrop * source
        case .screen: backdrop + source - backdrop * source
        case .overlay: Blend.hardLight.mix(source, backdrop)
        case .darken: min(backdrop, source)
        case .lighten: max(backdrop, source)
        case .colorDodge: backdrop == 0 ? 0 : source >= 1 ? 1 : min(1, backdrop / (1 - source))
        case .colorBurn: backdrop >= 1 ? 1 : source <= 0 ? 0 : 1 - min(1, (1 - backdrop) / source)
        case .hardLight: source <= 0.5 ? backdrop * 2 * source : Blend.screen.mix(backdrop, 2 * source - 1)
        case .softLight: softLight(backdrop, source)
        case .difference: abs(backdrop - source)
        case .exclusion: backdrop + source - 2 * backdrop * source
        }
    }

    private func softLight(_ backdrop: Double, _ source: Double) -> Double {
        guard source > 0.5 else { return backdrop - (1 - 2 * source) * backdrop * (1 - backdrop) }
        let root = backdrop <= 0.25 ? ((16 * backdrop - 12) * backdrop + 4) * backdrop : backdrop.squareRoot()
        return backdrop + (2 * source - 1) * (root - backdrop)
    }
}
