package import TintypeCore

/// Rounds corners, and draws a border along the inside of the edge. `border` is the same without rounding.
package struct RoundCorners: ImageOperation {
    package enum Corner: String, Sendable, CaseIterable, Hashable { case topLeft, topRight, bottomRight, bottomLeft }
    /// How lines of a border meet in a corner without rounding.
    package enum Join: String, Sendable, CaseIterable, Hashable { case miter, round, bevel }

    /// The radius of corners and border; at most half of the shorter side counts.
    package var radius: Double
    package var corners: Set<Corner>
    package var borderWidth: Double
    package var borderColor: Color
    package var join: Join

    package static let description = OperationDescription(
        name: "roundCorners",
        summary: "Rounds corners; the outside becomes transparent. A border runs along the inside of the edge.",
        parameters: [
            ParameterDescription("radius", .number(0...8192), required: true, "The radius in pixels; for corners, at most half of the shorter side counts."),
            ParameterDescription(
                "corners", .array(of: .choice(Corner.allCases.map(\.rawValue)), count: 0...4), default: .array(Corner.allCases.map { .string($0.rawValue) }),
                "Which ones."),
            ParameterDescription(
                "border",
                .object(
                    line + [
                        ParameterDescription(
                            "join", .choice(Join.allCases.map(\.rawValue)), default: "miter", "How the lines meet in a corner without rounding.")
                    ]), "The line along the edge, inside the picture."),
        ], main: "radius")

    private static let borderDescription = OperationDescription(
        name: "border", summary: "Draws a line along the edges, inside the picture.", parameters: line, main: "width")

    private static let line = [
        ParameterDescription("width", .number(0...8192), required: true, "The width of the line in pixels; less than half of the shorter side."),
        ParameterDescription("color", Color.parameter, default: "black", "The color of the line."),
    ]

    package static let aliases = [borderDescription]

    package init(_ json: JSON, at _: String) {
        let isBorder = json["op"] == .string(Self.borderDescription.name)
        let border = isBorder ? json : json["border"]
        radius = json["radius"]?.double ?? 0
        corners = Set(json["corners"]?.array?.compactMap { $0.string.flatMap { Corner(rawValue: $0) } } ?? Corner.allCases)
        borderWidth = border?["width"]?.double ?? 0
        borderColor = Color(border?["color"]) ?? Color(red: 0, green: 0, blue: 0)
        join = border?["join"]?.string.flatMap { Join(rawValue: $0) } ?? .miter
        if borderColor.alpha == 0 { borderWidth = 0 }
        if radius == 0 { corners = [] }
        if corners.isEmpty { radius = 0 }
        if borderWidth == 0 || corners.count == 4 { join = .miter }
    }

    package var canonical: JSON? {
        guard radius > 0 || borderWidth > 0 else { return nil }
        var object: JSONObject = ["op": "roundCorners", "radius": JSON(radius)]
        if corners.count < 4 { object["corners"] = .array(Corner.allCases.filter(corners.contains).map { .string($0.rawValue) }) }
        if borderWidth > 0 {
            object["border"] = ["width": JSON(borderWidth), "color": .string(borderColor.canonical), "join": .string(join.rawValue)]
        }
        return .object(object)
    }
}
