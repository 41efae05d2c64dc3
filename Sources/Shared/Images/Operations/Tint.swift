package import TintypeCore

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
