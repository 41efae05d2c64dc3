package import TintypeCore

/// Colours the picture: flat through its transparency, or mixed with what is there.
package struct Tint: ImageOperation {
    package var color: Color
    /// nil: sourceIn, the colour alone through the picture's alpha.
    package var blend: Blend?

    package static let description = OperationDescription(
        name: "tint",
        summary: "Colours the picture: sourceIn makes it one colour of the picture's shape, the other blends mix the colour with the picture's.",
        parameters: [
            ParameterDescription("color", Color.parameter, required: true, "The colour; its alpha says how much of it."),
            ParameterDescription("blend", .choice(["sourceIn"] + Blend.names), default: "sourceIn", "How the two mix."),
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
