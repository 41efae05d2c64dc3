package import TintypeCore

/// Two colors: one for the dark parts, one for the light parts, and mixtures between.
package struct Duotone: ImageOperation {
    package var shadow: Color
    package var highlight: Color

    package static let description = OperationDescription(
        name: "duotone",
        summary: "Maps dark to one color and light to another, with mixtures between.",
        parameters: [
            ParameterDescription("shadow", Color.parameter, default: "black", "The color for black; its alpha is ignored."),
            ParameterDescription("highlight", Color.parameter, default: "white", "The color for white; its alpha is ignored."),
        ])

    package init(_ json: JSON, at _: String) {
        shadow = Color(json["shadow"]) ?? Color(red: 0, green: 0, blue: 0)
        highlight = Color(json["highlight"]) ?? .white
    }

    package var canonical: JSON? {
        ["op": "duotone", "shadow": .string(shadow.opaque.canonical), "highlight": .string(highlight.opaque.canonical)]
    }
}
