package import TintypeCore

/// Adds pixels at each edge, or takes pixels away. `inset` is the same with the opposite signs.
package struct Extend: ImageOperation {
    package var top: Int
    package var right: Int
    package var bottom: Int
    package var left: Int
    package var color: Color

    package static let description = OperationDescription(
        name: "extend", summary: "Adds pixels of a color at each edge. Negative numbers take pixels away, as inset does.", parameters: sides)

    private static let insetDescription = OperationDescription(
        name: "inset", summary: "Takes pixels away at each edge. Negative numbers add pixels of a color, as extend does.", parameters: sides)

    private static let sides =
        ["top", "right", "bottom", "left"].map { ParameterDescription($0, .integer(-16384...16384), default: 0, "The pixels at this edge.") } + [
            ParameterDescription("color", Color.parameter, default: "transparent", "The color of added pixels.")
        ]

    package static let aliases = [insetDescription]

    package init(_ json: JSON, at _: String) {
        let sign = json["op"] == .string(Self.insetDescription.name) ? -1 : 1
        top = sign * (json["top"]?.int ?? 0)
        right = sign * (json["right"]?.int ?? 0)
        bottom = sign * (json["bottom"]?.int ?? 0)
        left = sign * (json["left"]?.int ?? 0)
        color = Color(json["color"]) ?? .transparent
    }

    package var canonical: JSON? {
        var object: JSONObject = ["op": "extend"]
        for (name, value) in [("top", top), ("right", right), ("bottom", bottom), ("left", left)] where value != 0 { object[name] = JSON(value) }
        guard object.count > 1 else { return nil }
        if color.alpha != 0, [top, right, bottom, left].contains(where: { $0 > 0 }) { object["color"] = .string(color.canonical) }
        return .object(object)
    }
}
