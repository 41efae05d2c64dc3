package import TintypeCore

/// Lays another picture over this one: watermarks, badges, frames, patterns.
package struct Composite: ImageOperation {
    package var layer: Layer
    package var gravity: Gravity
    /// The place of the upper left corner in pixels, instead of a gravity.
    package var place: Place?
    package var blend: Blend
    package var opacity: Double
    /// nil: the overlay lies there once.
    package var tiling: Tiling?
    /// The part of the picture into which the overlay is fitted; nil: its own size.
    package var scale: Double?

    package struct Place: Sendable, Hashable {
        package var x: Int
        package var y: Int
    }

    package static let description = OperationDescription(
        name: "composite",
        summary: "Lays another picture over this one. The size stays; parts outside are cut off.",
        parameters: [
            Layer.parameter(required: true, "The URL of the other picture, as for a source."),
            ParameterDescription(
                "gravity", Gravity.place, default: "center",
                "The place of the overlay: one of nine places, or a point in fractions for its "
                    + "middle."),
            ParameterDescription("x", .integer(-16384...16384), "Pixels between the left edges, instead of gravity."),
            ParameterDescription("y", .integer(-16384...16384), "Pixels between the upper edges, instead of gravity."),
            ParameterDescription("blend", .choice(Blend.names), default: "normal", "How the colors mix with those of the picture."),
            ParameterDescription("opacity", .number(0...1), default: 1, "0 is invisible, 1 opaque."),
            ParameterDescription("tile", Tiling.type, default: false, "Whether to repeat over the whole picture."),
            ParameterDescription("scale", .number(0.01...1), "The part of the picture's width and height to fit into. Default: its own size."),
        ], main: "url")

    package init(_ json: JSON, at path: String) throws(TintypeError) {
        guard let layer = try Layer(json["url"]) else { throw .invalidParams(path: path + ".url", value: json["url"], expected: "a URL") }
        self.layer = layer
        gravity = Gravity(json["gravity"]) ?? .center
        let (x, y) = (json["x"]?.int, json["y"]?.int)
        place = x == nil && y == nil ? nil : Place(x: x ?? 0, y: y ?? 0)
        if place != nil, json["gravity"].map({ !$0.isNull }) ?? false {
            throw .invalidParams(path: path + ".gravity", value: json["gravity"], expected: "either x and y or a gravity")
        }
        blend = Blend(json["blend"]) ?? .normal
        opacity = json["opacity"]?.double ?? 1
        tiling = Tiling(json["tile"])
        scale = json["scale"]?.double
    }

    package var layers: [Layer] {
        get { [layer] }
        set { if let first = newValue.first { layer = first } }
    }

    package var canonical: JSON? {
        guard opacity > 0 else { return nil }
        var object: JSONObject = ["op": "composite", "url": layer.canonical]
        if place == Place(x: 0, y: 0) {
            object["gravity"] = Gravity.topLeft.json
        } else if let place {
            object["x"] = JSON(place.x)
            object["y"] = JSON(place.y)
        } else if gravity != .center {
            object["gravity"] = gravity.json
        }
        if blend != .normal { object["blend"] = .string(blend.rawValue) }
        if opacity != 1 { object["opacity"] = JSON(opacity) }
        object["tile"] = tiling?.canonical
        object["scale"] = scale.map { JSON($0) }
        return .object(object)
    }
}
