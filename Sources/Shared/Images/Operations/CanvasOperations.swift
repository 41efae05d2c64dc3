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

/// Puts the picture on a canvas of at least a size, or of a shape. Never cuts or scales.
package struct Pad: ImageOperation {
    package var width: Int?
    package var height: Int?
    /// The width divided by the height.
    package var aspect: Double?
    package var gravity: Gravity
    package var color: Color

    package static let description = OperationDescription(
        name: "pad",
        summary: "Puts the picture on a canvas of at least this size, or of this shape. The picture is neither cut nor scaled.",
        parameters: [
            ParameterDescription("width", .integer(1...16384), "The smallest width of the canvas."),
            ParameterDescription("height", .integer(1...16384), "The smallest height of the canvas."),
            ParameterDescription("aspect", .number(0.01...100), "The width of the canvas divided by its height: 1 is square. The canvas grows on one side."),
            ParameterDescription(
                "gravity", Gravity.anchorWithOffsets, default: "center",
                "The place of the picture on the canvas, with or without offsets. The picture stays inside."),
            ParameterDescription("color", Color.parameter, default: "transparent", "The color of the canvas."),
        ])

    package init(_ json: JSON, at path: String) throws(TintypeError) {
        width = json["width"]?.int
        height = json["height"]?.int
        aspect = json["aspect"]?.double
        gravity = Gravity(json["gravity"]) ?? .center
        color = Color(json["color"]) ?? .transparent
        guard width != nil || height != nil || aspect != nil else {
            throw .invalidParams(path: path + ".width", value: nil, expected: "a width, a height or an aspect")
        }
    }

    package var canonical: JSON? {
        .object(
            JSONObject(present: [
                "op": "pad", "width": width.map { JSON($0) }, "height": height.map { JSON($0) }, "aspect": aspect.map { JSON($0) },
                "gravity": .when(gravity != .center, gravity.json), "color": .when(color.alpha != 0, .string(color.canonical)),
            ]))
    }
}

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
