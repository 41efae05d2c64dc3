/// The change from one range of numbers to another. A JPEG uses the whole byte. A WebP has brightness in 16…235 and color in 16…240 (BT.601), and an
/// AVIF has either. Pure.
enum PlaneRange: Hashable {
    case same
    case widened
    case narrowed

    /// - Parameters:
    ///   - from: whether the numbers use the whole byte.
    ///   - to: whether they should.
    init(from: Bool, to: Bool) { self = from == to ? .same : to ? .widened : .narrowed }

    /// Changes the numbers of a plane.
    func apply(to plane: Plane, isColor: Bool) {
        switch self {
        case .same: return
        case .widened: plane.replace(isColor ? Self.wideColor : Self.wideBrightness)
        case .narrowed: plane.replace(isColor ? Self.narrowColor : Self.narrowBrightness)
        }
    }

    static let wideBrightness = (0...255).map { UInt8(min(max((Double($0) - 16) * 255 / 219, 0), 255).rounded()) }
    private static let wideColor = (0...255).map { UInt8(min(max(128 + (Double($0) - 128) * 255 / 224, 0), 255).rounded()) }
    private static let narrowBrightness = (0...255).map { UInt8((16 + Double($0) * 219 / 255).rounded()) }
    private static let narrowColor = (0...255).map { UInt8((128 + (Double($0) - 128) * 224 / 255).rounded()) }
}
