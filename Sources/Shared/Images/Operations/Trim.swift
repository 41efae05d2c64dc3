package import TintypeCore

/// Cuts off edges of one color, or transparent edges.
package struct Trim: ImageOperation {
    package var threshold: Double
    /// The color to cut off; nil: the color of the top left corner.
    package var color: Color?
    package var margin: Int
    /// The directions in which opposite edges lose equally much: as much as the smaller one.
    package var symmetric: Symmetry

    package enum Symmetry: String, Sendable, CaseIterable, Hashable { case none, horizontal, vertical, both }

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
            ParameterDescription(
                "symmetric", .choice(Symmetry.allCases.map(\.rawValue)), default: "none",
                "Where opposite edges both lose as much as the smaller one: left and right (horizontal), top and bottom (vertical), or both."),
        ], main: "threshold")

    package init(_ json: JSON, at _: String) {
        threshold = json["threshold"]?.double ?? 10
        // A fully transparent color cuts off transparent edges. Partial transparency means no more than the color alone.
        color = Color(json["color"]).map { $0.alpha == 0 ? .transparent : $0.opaque }
        margin = json["margin"]?.int ?? 0
        symmetric = json["symmetric"]?.string.flatMap { Symmetry(rawValue: $0) } ?? .none
    }

    package var canonical: JSON? {
        var object: JSONObject = ["op": "trim", "threshold": JSON(threshold)]
        object["color"] = color.map { .string($0.canonical) }
        if margin != 0 { object["margin"] = JSON(margin) }
        if symmetric != .none { object["symmetric"] = .string(symmetric.rawValue) }
        return .object(object)
    }
}
