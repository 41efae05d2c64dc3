package import TintypeCore

/// Brightness, contrast, saturation, hue and gamma, in this order.
package struct Modulate: ImageOperation {
    package var brightness: Double
    package var contrast: Double
    package var saturation: Double
    /// Degrees.
    package var hue: Double
    package var gamma: Double

    package static let description = OperationDescription(
        name: "modulate",
        summary: "Changes brightness, contrast, saturation, hue and gamma, in this order, as the CSS filters of these names.",
        parameters: [
            ParameterDescription("brightness", .number(0...10), default: 1, "The factor of all colors: 0 is black."),
            ParameterDescription("contrast", .number(0...10), default: 1, "The factor of the distance from middle gray: 0 is gray."),
            ParameterDescription("saturation", .number(-1...10), default: 1, "The saturation: 0 is gray, 2 twice as colorful."),
            ParameterDescription("hue", .number(-3600...3600), default: 0, "Degrees by which colors turn on the color circle."),
            ParameterDescription("gamma", .number(0.1...10), default: 1, "The gamma: above 1 dark parts become lighter, below 1 darker."),
        ])

    package init(_ json: JSON, at _: String) {
        brightness = json["brightness"]?.double ?? 1
        contrast = json["contrast"]?.double ?? 1
        saturation = json["saturation"]?.double ?? 1
        hue = Rotate.normal(json["hue"]?.double ?? 0)
        gamma = json["gamma"]?.double ?? 1
    }

    package var canonical: JSON? {
        var object: JSONObject = ["op": "modulate"]
        for (name, value) in [("brightness", brightness), ("contrast", contrast), ("saturation", saturation), ("gamma", gamma)] where value != 1 {
            object[name] = JSON(value)
        }
        if hue != 0 { object["hue"] = JSON(hue) }
        return object.count > 1 ? .object(object) : nil
    }
}

/// Colors the picture: one color in the picture's shape, or mixed with the picture's colors.
package struct Tint: ImageOperation {
    package var color: Color
    /// nil: sourceIn, only the color in the picture's alpha.
    package var blend: Blend?

    package static let description = OperationDescription(
        name: "tint",
        summary: "Colors the picture. sourceIn: one color in the picture's shape. Other blends: the color mixed with the picture.",
        parameters: [
            ParameterDescription("color", Color.parameter, required: true, "The color; its alpha is the strength."),
            ParameterDescription("blend", .choice(["sourceIn"] + Blend.names), default: "sourceIn", "How the color mixes with the picture."),
        ], main: "color")

    package init(_ json: JSON, at _: String) {
        color = Color(json["color"]) ?? .white
        blend = Blend(json["blend"])
    }

    package var canonical: JSON? {
        if blend != nil, color.alpha == 0 { return nil }
        return ["op": "tint", "color": .string(color.canonical), "blend": .string(blend?.rawValue ?? "sourceIn")]
    }
}

/// Two colors: one for the dark parts, one for the light parts, and mixtures between.
package struct Duotone: ImageOperation {
    package var shadow: Color
    package var highlight: Color
    /// 0…1: the share of the two colors; the rest is the picture as it was.
    package var amount: Double

    package static let description = OperationDescription(
        name: "duotone",
        summary: "Maps dark to one opaque color and light to another.",
        parameters: [
            ParameterDescription("shadow", Color.parameter, default: "black", "The color for black."),
            ParameterDescription("highlight", Color.parameter, default: "white", "The color for white."),
            ParameterDescription("amount", .number(0...1), default: 1, "0 does nothing, 1 is full."),
        ])

    package init(_ json: JSON, at _: String) {
        shadow = Color(json["shadow"]) ?? Color(red: 0, green: 0, blue: 0)
        highlight = Color(json["highlight"]) ?? .white
        amount = json["amount"]?.double ?? 1
    }

    package var canonical: JSON? {
        guard amount > 0 else { return nil }
        var object: JSONObject = ["op": "duotone", "shadow": .string(shadow.opaque.canonical), "highlight": .string(highlight.opaque.canonical)]
        if amount < 1 { object["amount"] = JSON(amount) }
        return .object(object)
    }
}

/// Removes the colors.
package struct Grayscale: ImageOperation {
    package static let description = OperationDescription(
        name: "grayscale", summary: "Makes the picture gray: saturation 0, with the weights 0.2126, 0.7152 and 0.0722 of red, green and blue.", parameters: [])

    package init(_: JSON, at _: String) {}

    package var canonical: JSON? { ["op": "grayscale"] }
}

/// The brown of old photographs.
package struct Sepia: ImageOperation {
    package var amount: Double

    package static let description = OperationDescription(
        name: "sepia",
        summary: "Gives the brown of old photographs, as the CSS filter of this name.",
        parameters: [ParameterDescription("amount", .number(0...1), default: 1, "0 does nothing, 1 is full.")], main: "amount")

    package init(_ json: JSON, at _: String) { amount = json["amount"]?.double ?? 1 }

    package var canonical: JSON? { amount == 0 ? nil : ["op": "sepia", "amount": JSON(amount)] }
}

/// Replaces every color by its opposite; transparency stays.
package struct Invert: ImageOperation {
    package static let description = OperationDescription(
        name: "invert", summary: "Replaces every color by its opposite, as in a negative. Transparency stays.", parameters: [])

    package init(_: JSON, at _: String) {}

    package var canonical: JSON? { ["op": "invert"] }
}

extension AnyOperation {
    /// Whether the operation moves, averages or hides pixels, whatever colors their numbers mean. Every other one knows sRGB alone.
    var leavesColors: Bool {
        guard base.canonical != nil else { return true }
        return switch base {
        case is Crop, is Flip, is Sharpen, is Pixelate, is Frames, is Autorotate: true
        case let resize as Resize: !resize.isLinear && resize.background.alpha == 0
        case let rotate as Rotate: rotate.background.alpha == 0
        case let blur as Blur: blur.saturation == 1 && blur.tint?.alpha ?? 0 == 0 && blur.mask == nil
        case let corners as RoundCorners: corners.borderWidth == 0
        case let mask as Mask: mask.layers.isEmpty
        default: false
        }
    }
}
