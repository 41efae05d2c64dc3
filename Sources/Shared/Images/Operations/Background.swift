package import TintypeCore

/// Puts the picture on a color, so that nothing shows through (unless the color itself is transparent).
package struct Background: ImageOperation {
    package var color: Color

    package static let description = OperationDescription(
        name: "background",
        summary: "Puts the picture on a color, which replaces transparency. The command line calls this operation `--flatten`.",
        parameters: [ParameterDescription("color", Color.parameter, default: "white", "The color behind the picture.")], main: "color")

    package init(_ color: Color) { self.color = color }

    package init(_ json: JSON, at _: String) { color = Color(json["color"]) ?? .white }

    package var canonical: JSON? { color.alpha == 0 ? nil : ["op": "background", "color": .string(color.canonical)] }
}
