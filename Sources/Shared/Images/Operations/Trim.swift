package import TintypeCore

/// Cuts off edges of one color, or transparent edges.
package struct Trim: ImageOperation {
    package var threshold: Double
    /// The color to cut off; nil: the color of the top left corner.
    package var color: Color?
    package var margin: Int

    package static let description = OperationDescription(
        name: "trim",
        summary: "Cuts off edges of one color: that of the top left corner, unless one is named. A transparent corner cuts off transparent edges. "
            + "A picture of one color stays as it is. An animation loses the edge that all its frames share. In a source with lossy compression "
            + "(JPEG, AVIF, HEIF, most WebP), details one pixel thin count as noise.",
        parameters: [
            ParameterDescription("threshold", .number(0...255), default: 10, "How far a color may differ from that of the edge, of 255."),
            ParameterDescription(
                "color", Color.parameter,
                "The color of the operation; for trim the color to cut off, by default that of the top left "
                    + "corner."),
            ParameterDescription("margin", .integer(0...16384), default: 0, "The pixels to leave around the kept part, where the picture has some."),
        ], main: "threshold")

    package init(_ json: JSON, at _: String) {
        threshold = json["threshold"]?.double ?? 10
        // A fully transparent color cuts off transparent edges. Partial transparency means no more than the color alone.
        color = Color(json["color"]).map { $0.alpha == 0 ? .transparent : $0.opaque }
        margin = json["margin"]?.int ?? 0
    }

    package var canonical: JSON? {
        var object: JSONObject = ["op": "trim", "threshold": JSON(threshold)]
        object["color"] = color.map { .string($0.canonical) }
        if margin != 0 { object["margin"] = JSON(margin) }
        return .object(object)
    }
}
