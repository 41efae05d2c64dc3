package import TintypeCore

/// Cuts a rectangle out: by its corner in pixels or fractions, or by its size and a gravity.
package struct Crop: ImageOperation {
    package enum Unit: String, Sendable, CaseIterable, Hashable { case px, fraction }

    package var x: Double
    package var y: Double
    /// nil: the whole width, or all of it from `x` on.
    package var width: Double?
    package var height: Double?
    package var unit: Unit
    /// The place of the rectangle, instead of x and y.
    package var gravity: Gravity?

    package static let description = OperationDescription(
        name: "crop",
        summary: "Cuts a rectangle out, by x and y or by a gravity. Parts of the rectangle outside the picture are left out.",
        parameters: [
            ParameterDescription("x", .number(0...16384), "The left edge."),
            ParameterDescription("y", .number(0...16384), "The upper edge."),
            ParameterDescription("width", .number(0...16384), "How wide; the whole width without it. One of width and height is required."),
            ParameterDescription("height", .number(0...16384), "How high; the whole height without it."),
            ParameterDescription("unit", .choice(Unit.allCases.map(\.rawValue)), default: "px", "The unit of the rectangle: pixels, or fractions from 0 to 1."),
            ParameterDescription(
                "gravity", Gravity.parameter, default: "center",
                "The place of the rectangle without x and y."),
        ])

    /// A rectangle in pixels.
    package init(x: Int, y: Int, width: Int, height: Int) {
        (self.x, self.y, self.width, self.height) = (Double(x), Double(y), Double(width), Double(height))
        (unit, gravity) = (.px, nil)
    }

    package init(_ json: JSON, at path: String) throws(TintypeError) {
        width = json["width"]?.double
        height = json["height"]?.double
        unit = json["unit"]?.string.flatMap { Unit(rawValue: $0) } ?? .px
        let hasPlace = json["x"]?.double != nil || json["y"]?.double != nil
        x = json["x"]?.double ?? 0
        y = json["y"]?.double ?? 0
        gravity = Gravity(json["gravity"]) ?? (hasPlace ? nil : .center)
        if hasPlace, gravity != nil {
            throw .invalidParams(path: path + ".gravity", value: json["gravity"], expected: "either x and y or a gravity")
        }
        if width == nil, height == nil { throw .invalidParams(path: path + ".width", value: nil, expected: "a width, a height or both") }
        for case (let name, let value?) in [("x", x), ("y", y), ("width", width), ("height", height)] {
            let isSize = name == "width" || name == "height"
            if isSize, value <= 0 { throw .invalidParams(path: "\(path).\(name)", value: json[name], expected: "a number above 0") }
            if unit == .fraction, value > 1 { throw .invalidParams(path: "\(path).\(name)", value: json[name], expected: "a fraction from 0 to 1") }
            if unit == .px, value != value.rounded() { throw .invalidParams(path: "\(path).\(name)", value: json[name], expected: "whole pixels") }
        }
    }

    package var canonical: JSON? {
        if unit == .fraction, width ?? 1 == 1, height ?? 1 == 1, gravity != nil || x == 0 && y == 0 { return nil }
        var object: JSONObject = ["op": "crop"]
        object["width"] = width.map { JSON($0) }
        object["height"] = height.map { JSON($0) }
        object["unit"] = .string(unit.rawValue)
        if let gravity = gravity?.namedCorner, gravity != .topLeft {
            object["gravity"] = gravity.json
        } else {
            object["x"] = JSON(x)
            object["y"] = JSON(y)
        }
        return .object(object)
    }
}

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
                "The color of the operation; for trim the color to cut off, by default that of the top left corner."),
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
