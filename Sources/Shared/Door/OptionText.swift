import TintypeCore
import TintypeImages

/// The options of picture URLs that say an operation or an output, as text. Pure.
///
/// It writes what comes nearest; `DoorWriter` reads that again and refuses what became something else.
enum OptionText {
    /// Returns the options of an operation; nil if there are none like it.
    static func words(_ operation: AnyOperation) -> [String]? {
        switch operation.base {
        case let one as Autorotate: ["ar:\(flag(one.isEnabled))"]
        case let one as Trim: [trim(one)]
        case let one as Rotate: one.quarters.map { ["rot:\(90 * $0)"] }
        case let one as Flip: ["fl:\(flag(one.horizontal)):\(flag(one.vertical))"]
        case let one as Crop: crop(one)
        case let one as Resize: resize(one)
        case let one as Background: ["bg:\(hex(one.color))"] + (one.color.alpha == 255 ? [] : ["bga:\(number(Double(one.color.alpha) / 255))"])
        case let one as Modulate: ["co:\(number(one.contrast))", "sa:\(number(one.saturation))"]
        case let one as Tint: tint(one)
        case let one as Duotone: ["dt:\(number(one.amount)):\(hex(one.shadow)):\(hex(one.highlight))"]
        case let one as Blur: one.sigma.map { ["bl:\(number($0))"] }
        case let one as Sharpen: ["sh:\(number(one.sigma))"]
        case let one as Pixelate: ["pix:\(one.size)"]
        case let one as Pad: pad(one)
        case let one as Extend: ["pd:\(one.top):\(one.right):\(one.bottom):\(one.left)"]
        case let one as Composite:
            overlay(one)
                ?? mark(one.opacity, one.gravity, one.tiling, scale: one.scale).map { ["wmu:" + Base64.urlText(of: Array(one.layer.source.url.utf8)), $0] }
        case let one as Text:
            mark(one.opacity, one.gravity, one.tiling, scale: nil).map { placed in
                ["wmt:" + Base64.urlText(of: Array(one.text.utf8)), placed] + (one.angle == 0 ? [] : ["wmr:\(number(one.angle))"])
            }
        default: nil
        }
    }

    /// Returns the options of an output without its format, which stands behind the source.
    static func words(_ output: OutputOptions) -> [String] {
        var words: [String] = []
        if let quality = output.quality { words.append("q:\(quality)") }
        if output.isQualitySought { words.append("aq:dssim:\(number(((1 - output.likeness) * 5_000_000).rounded() / 10_000_000))") }
        let qualities = output.qualities.sorted { $0.key.rawValue < $1.key.rawValue }.map { ":\(name($0.key)):\($0.value)" }
        if !qualities.isEmpty { words.append("fq" + qualities.joined()) }
        if let bytes = output.maxBytes { words.append(([.avif, .jxl].contains(output.format) ? "aq:size:" : "mb:") + "\(bytes)") }
        words += coding(output)
        let kept = output.keptFormats.map(name).sorted()
        if !kept.isEmpty { words.append("skp:" + kept.joined(separator: ":")) }
        switch output.metadata {
        case .none: words.append("kcr:0")
        case .copyright: break
        case .all: words.append("sm:0")
        }
        if output.profile == .keep { words.append("scp:0") }
        return words
    }

    /// Returns the options of one format.
    private static func coding(_ output: OutputOptions) -> [String] {
        let isFull = output.subsampling == .none
        if output.format == .png, output.isProgressive { return ["pngo:1:\(flag(output.isPalette))"] }
        if output.format == .avif, isFull { return ["avifo:off"] }
        if output.format == .webp, output.isLossless { return ["webpo:lossless"] }
        return (output.isProgressive || isFull ? ["jpgo:\(flag(output.isProgressive)):\(flag(isFull))"] : []) + (output.isPalette ? ["pngo::1"] : [])
    }

    /// Returns imgproxy's name of a format.
    static func name(_ format: ImageFormat) -> String { format == .heif ? "heic" : format.rawValue }

    private static let resizingTypes: [Resize.Fit: PictureOptions.ResizingType] = [
        .inside: .fit, .cover: .fill, .coverDown: .fillDown, .auto: .auto, .fill: .force,
    ]

    private static func resize(_ one: Resize) -> [String]? {
        guard let type = resizingTypes[one.effectiveFit] else { return nil }
        var words = ["rs:\(type.rawValue):\(one.width ?? 0):\(one.height ?? 0)" + (one.enlarge ? ":1" : "")]
        if let side = one.minWidth { words.append("mw:\(side)") }
        if let side = one.minHeight { words.append("mh:\(side)") }
        if one.scale != Resize.Factors() { words.append("z:\(number(one.scale.x)):\(number(one.scale.y))") }
        if let density = one.density, density != 1 { words.append("dpr:\(number(density))") }
        if one.kernel != .lanczos3 { words.append("ra:\(one.kernel.rawValue)") }
        guard one.gravity != .center else { return words }
        return place(plain(one.gravity, density: one.density ?? 1)).map { words + ["g:" + $0] }
    }

    /// Returns a gravity with offsets as a URL has them, where those in pixels follow the density.
    private static func plain(_ gravity: Gravity, density: Double) -> Gravity {
        guard case .moved(let anchor, let x, let y) = gravity else { return gravity }
        func length(_ offset: Double) -> Double { abs(offset) < 1 ? offset : offset / density }
        return .moved(anchor, x: length(x), y: length(y))
    }

    private static func tint(_ one: Tint) -> [String]? {
        let (color, share) = (one.color, number(Double(one.color.alpha) / 255))
        let isGray = color.alpha == 255 && color.red == color.green && color.green == color.blue
        if one.blend == .color { return ["mc:\(share):\(hex(color.opaque))"] }
        if one.blend == .normal { return ["col:\(share):\(hex(color.opaque)):1"] }
        if one.blend == .plusLighter, isGray { return ["br:\(color.red)"] }
        return one.blend == .plusDarker && isGray ? ["br:\(Int(color.red) - 255)"] : nil
    }

    private static func crop(_ one: Crop) -> [String]? {
        // A side that counts as a part is the whole one with the number 0.
        func side(_ length: Double?) -> String { length.map { number(one.unit == .fraction && $0 == 1 ? 0 : $0) } ?? "0" }
        return (one.gravity ?? (one.x == 0 && one.y == 0 ? .topLeft : nil)).flatMap(place).map { ["c:\(side(one.width)):\(side(one.height)):\($0)"] }
    }

    private static func trim(_ one: Trim) -> String {
        let sides = [one.symmetric == .horizontal || one.symmetric == .both, one.symmetric == .vertical || one.symmetric == .both]
        let color = one.color.map { $0.alpha == 0 ? "ff00ff" : hex($0) } ?? ""
        return "t:\(number(one.threshold)):\(color):\(sides.map { "\(flag($0))" }.joined(separator: ":"))"
    }

    private static func pad(_ one: Pad) -> [String]? {
        place(one.gravity).map { place in
            (one.width != nil || one.height != nil ? ["ex:1:" + place] : []) + (one.aspect != nil ? ["exar:1:" + place] : [])
        }
    }

    private static func mark(_ opacity: Double, _ gravity: Gravity, _ tiling: Tiling?, scale: Double?) -> String? {
        let end = scale.map { ":\(number($0))" } ?? ""
        if let tiling { return "wm:\(number(opacity)):re:\(number(tiling.x)):\(number(tiling.y))\(end)" }
        let (anchor, x, y) = if case .moved(let anchor, let x, let y) = gravity { (anchor, x, y) } else { (gravity, 0.0, 0.0) }
        return place(anchor).map { "wm:\(number(opacity)):\($0):\(number(x)):\(number(y))\(end)" }
    }

    /// Returns the option of a color over the whole picture; nil for any other layer.
    private static func overlay(_ one: Composite) -> [String]? {
        let prefix = "color:", suffix = "ff,64x64"
        let url = one.layer.source.url
        guard one.tiling == Tiling(x: 0, y: 0), one.scale == nil, url.hasPrefix(prefix), url.hasSuffix(suffix) else { return nil }
        let color = url.dropFirst(prefix.count).dropLast(suffix.count)
        return color.count == 6 ? ["col:\(number(one.opacity)):\(color)"] : nil
    }

    private static func place(_ gravity: Gravity) -> String? {
        switch gravity {
        case .attention: "sm"
        case .entropy: nil
        case .point(let x, let y): "fp:\(number(x)):\(number(y))"
        case .moved(let anchor, let x, let y): place(anchor).map { "\($0):\(number(x)):\(number(y))" }
        case .center, .top, .topRight, .right, .bottomRight, .bottom, .bottomLeft, .left, .topLeft:
            PictureOption.anchors.first { $0.value == gravity }?.key
        }
    }

    private static func flag(_ isOn: Bool) -> Int { isOn ? 1 : 0 }

    private static func hex(_ color: Color) -> String { String(color.text.dropFirst()) }

    private static func number(_ value: Double) -> String { JSON(value).text }
}
