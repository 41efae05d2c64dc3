package import TintypeCore

/// Puts the picture on a colour, so that nothing shows through any more (unless the colour itself lets it).
package struct Background: ImageOperation {
    package var color: Color

    package static let description = OperationDescription(
        name: "background",
        summary: "Puts the picture on a colour: what was transparent shows it.",
        parameters: [ParameterDescription("color", Color.parameter, default: "white", "What shows through.")], main: "color")

    package init(_ color: Color) { self.color = color }

    package init(_ json: JSON, at _: String) { color = Color(json["color"]) ?? .white }

    package var canonical: JSON? { color.alpha == 0 ? nil : ["op": "background", "color": .string(color.canonical)] }
}
