package import TintypeCore

/// Two colours: one for what is dark, one for what is light, and what lies between them.
package struct Duotone: ImageOperation {
    package var shadow: Color
    package var highlight: Color

    package static let description = OperationDescription(
        name: "duotone",
        summary: "Paints what is dark in one colour, what is light in another, and mixes them between.",
        parameters: [
            ParameterDescription("shadow", Color.parameter, default: "black", "For black; its alpha is not used."),
            ParameterDescription("highlight", Color.parameter, default: "white", "For white; its alpha is not used."),
        ])

    package init(_ json: JSON, at _: String) {
        shadow = Color(json["shadow"]) ?? Color(red: 0, green: 0, blue: 0)
        highlight = Color(json["highlight"]) ?? .white
    }

    package var canonical: JSON? {
        ["op": "duotone", "shadow": .string(shadow.opaque.canonical), "highlight": .string(highlight.opaque.canonical)]
    }
}
