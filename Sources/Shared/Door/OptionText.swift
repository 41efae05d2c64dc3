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
        case let one as Duotone: ["dt:1:\(hex(one.shadow)):\(hex(one.highlight))"]
        case let one as Blur: one.sigma.map { ["bl:\(number($0))"] }
        case let one as Sharpen: ["sh:\(number(one.sigma))"]
        case let one as Pixelate: ["pix:\(one.size)"]
        case let one as Pad: pad(one)
        case let one as Extend: ["pd:\(one.top):\(one.right):\(one.bottom):\(one.left)"]
        case let one as Composite:
            mark(one.opacity, one.gravity, one.tiling, scale: one.scale).map { ["wmu:" + Base64.urlText(of: Array(one.layer.source.url.utf8)), $0] }
        case let one as Text: mark(one.opacity, one.gravity, one.tiling, scale: nil).map { ["wmt:" + Base64.urlText(of: Array(one.text.utf8)), $0] }
        default: nil
        }
    }

    /// Returns the options of an output without its format, which stands behind the source.
    static func words(_ output: OutputOptions) -> [String] {
        var words: [String] = []
        if let quality = output.quality { words.append("q:\(quality)") }
        let qualities = output.qualities.sorted { $0.key.rawValue < $1.key.rawValue }.map { ":\(name($0.key)):\($0.value)" }
        if !qualities.isEmpty { words.append("fq" + qualities.joined()) }
        if let bytes = output.maxBytes { words.append("mb:\(bytes)") }
        if output.isProgressive || output.subsampling == .none { words.append("jpgo:\(flag(output.isProgressive)):\(flag(output.subsampling == .none))") }
        if output.isPalette { words.append("pngo::1") }
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
        if one.kernel != .lanczos3 { words.append("ra:\(one.kernel.rawValue)") }
        guard one.gravity != .center else { return words }
        return place(one.gravity).map { words + ["g:" + $0] }
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
