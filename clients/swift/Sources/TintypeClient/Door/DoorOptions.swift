/// The words of picture URLs for operations and outputs: the form of imgproxy.
///
/// A URL has each operation once, and its pictures are made in a fixed order. A transform that would become another picture is refused.
enum DoorOptions {
    /// Returns the options of a URL, each as `NAME:ARGUMENT…`.
    ///
    /// - Throws: `invalidParams` when a URL has no words for an operation or one of its members, or no such order.
    static func parts(_ transform: ImageTransform, _ output: ImageOutput?) throws(TintypeError) -> [String] {
        var parts: [String] = []
        var latest = 0
        for operation in transform.operations {
            let (step, words) = try words(operation)
            guard step > latest else {
                throw refusal(
                    "\(name(operation)) cannot stand there: a URL turns, flips, resizes, lays a background, blurs, sharpens and pixelates, in this order and each once"
                )
            }
            latest = step
            parts += words
        }
        return parts + (try words(output))
    }

    /// Returns what a URL ends with, for the format.
    static func ending(_ output: ImageOutput?) -> String {
        switch output?.format {
        case nil, .auto, .original: ""
        case .heif: ".heic"
        case .some(let format): ".\(format.rawValue)"
        }
    }

    /// The place of an operation in the pipeline, and its words.
    private static func words(_ operation: ImageOperation) throws(TintypeError) -> (Int, [String]) {
        let allowed: Set<String>
        let step: Int
        let words: [String]
        switch operation {
        case .rotate(let rotate):
            guard rotate.angle.truncatingRemainder(dividingBy: 90) == 0, abs(rotate.angle) <= 3600 else { throw refusal("rotate turns by quarters") }
            (step, allowed, words) = (1, ["angle"], ["rot:\((Int(rotate.angle) % 360 + 360) % 360)"])
        case .flip(let flip):
            (step, allowed, words) = (2, ["horizontal", "vertical"], ["fl:\(flip.horizontal == true ? 1 : 0):\(flip.vertical == true ? 1 : 0)"])
        case .resize(let resize):
            step = 3
            allowed = ["width", "height", "minWidth", "minHeight", "dpr", "fit", "gravity", "enlarge"]
            words = try size(resize)
        case .background(let background):
            guard let color = background.color, color.hasPrefix("#"), color.utf8.count == 7 else { throw refusal("a background has a color such as #ffcc00") }
            (step, allowed, words) = (4, ["color"], ["bg:\(color.dropFirst())"])
        case .blur(let blur): (step, allowed, words) = (5, ["sigma"], ["bl:\(number(blur.sigma ?? 0))"])
        case .sharpen(let sharpen): (step, allowed, words) = (6, ["sigma"], ["sh:\(number(sharpen.sigma ?? 0))"])
        case .pixelate(let pixelate): (step, allowed, words) = (7, ["size"], ["pix:\(pixelate.size ?? 0)"])
        default: throw refusal("\(name(operation)) has no word here; give it as options, or load the picture by image(from:)")
        }
        let given = operation.json.objectValue ?? [:]
        if let other = given.first(where: { $0.key != "op" && !allowed.contains($0.key) }) { throw refusal("\(name(operation)).\(other.key) has no word") }
        if words.isEmpty || given.count == 1 { throw refusal("\(name(operation)) needs a value") }
        return (step, words)
    }

    private static func size(_ resize: ImageOperation.Resize) throws(TintypeError) -> [String] {
        // A side of 0 follows the other one, as in imgproxy.
        let (width, height) = (resize.width ?? 0, resize.height ?? 0)
        var words: [String] = []
        let kind: String? =
            switch resize.fit {
            case nil: nil
            case .inside: "fit"
            case .cover: "fill"
            case .coverDown: "fill-down"
            case .auto: "auto"
            case .fill: "force"
            case .some(let other): throw refusal("resize.fit \(other.rawValue) has no word")
            }
        if kind != nil || (width > 0 && height > 0) {
            words.append("rs:\(kind ?? "fit"):\(width):\(height)")
        } else if width > 0 {
            words.append("w:\(width)")
        } else if height > 0 {
            words.append("h:\(height)")
        }
        if let side = resize.minWidth { words.append("mw:\(side)") }
        if let side = resize.minHeight { words.append("mh:\(side)") }
        if resize.enlarge == true { words.append("el:1") }
        if let gravity = resize.gravity { words.append("g:\(try place(gravity))") }
        if let dpr = resize.dpr { words.append("dpr:\(number(dpr))") }
        return words
    }

    private static func place(_ gravity: ImageOperation.Gravity) throws(TintypeError) -> String {
        switch gravity {
        case .center: "ce"
        case .top: "no"
        case .topRight: "noea"
        case .right: "ea"
        case .bottomRight: "soea"
        case .bottom: "so"
        case .bottomLeft: "sowe"
        case .left: "we"
        case .topLeft: "nowe"
        case .attention: "sm"
        case .point(let x, let y): "fp:\(number(x)):\(number(y))"
        default: throw refusal("resize.gravity has a value without a word")
        }
    }

    private static func words(_ output: ImageOutput?) throws(TintypeError) -> [String] {
        guard let output else { return [] }
        var words: [String] = []
        for (name, value) in output.json.objectValue ?? [:] {
            switch name {
            case "format": break
            case "quality":
                guard let quality = value.intValue else { throw refusal("the quality in a URL is a number") }
                words.append("q:\(quality)")
            case "maxBytes": words.append("mb:\(value)")
            default: throw refusal("output.\(name) has no word")
            }
        }
        return words
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : value.description
    }

    private static func name(_ operation: ImageOperation) -> String {
        operation.json["op"]?.stringValue ?? "an operation"
    }

    private static func refusal(_ words: String) -> TintypeError {
        .local(.invalidParams, "no picture URL: \(words)")
    }
}
