package import TintypeCore

/// Cuts off edges of one colour, or transparent ones.
package struct Trim: ImageOperation {
    package var threshold: Double
    /// nil: the colour of the top left corner.
    package var color: Color?
    package var margin: Int

    package static let description = OperationDescription(
        name: "trim",
        summary: "Cuts off edges of one colour: that of the top left corner, unless one is named. Transparent edges are cut off when that corner is "
            + "transparent. A picture of one colour stays as it is. Of an animation, what all frames have in common is cut off. Where the source was stored with "
            + "loss (JPEG, AVIF, HEIF, most WebP), what is one pixel thin counts as noise.",
        parameters: [
            ParameterDescription("threshold", .number(0...255), default: 10, "How far a colour may be from that of the edge, of 255."),
            ParameterDescription("color", Color.parameter, "What is cut off. Default: the colour of the top left corner."),
            ParameterDescription("margin", .integer(0...16384), default: 0, "Pixels to leave around what is kept, as far as there are some."),
        ], main: "threshold")

    package init(_ json: JSON, at _: String) {
        threshold = json["threshold"]?.double ?? 10
        // What shows through says that what is seen through is cut off; by half it says no more than the colour alone.
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
