package import TintypeCore
import TintypeTransport

/// Lays another picture over this one: watermarks, badges, frames, patterns.
package struct Composite: ImageOperation {
    package var layer: Layer
    package var gravity: Gravity
    /// Instead of the gravity: where its upper left corner lies, in pixels.
    package var place: Place?
    package var blend: Blend
    package var opacity: Double
    package var isTiled: Bool
    /// The share of the picture into which it is fitted; nil: as large as it is.
    package var scale: Double?

    package struct Place: Sendable, Hashable {
        package var x: Int
        package var y: Int
    }

    package static let description = OperationDescription(
        name: "composite",
        summary: "Lays another picture over this one, which keeps its size: what would lie outside is cut off.",
        parameters: [
            Layer.parameter(required: true, "Of the other picture: http, https, data or file, at most \(WebAddress.mostBytes) bytes."),
            ParameterDescription("gravity", Gravity.place, default: "center", "Where it lies: one of nine places, or a point in fractions for its middle."),
            ParameterDescription("x", .integer(-16384...16384), "Instead of gravity: pixels from the left edge to its own."),
            ParameterDescription("y", .integer(-16384...16384), "Instead of gravity: pixels from the upper edge to its own."),
            ParameterDescription("blend", .choice(Blend.names), default: "normal", "How it mixes."),
            ParameterDescription("opacity", .number(0...1), default: 1, "How much of it is seen."),
            ParameterDescription("tile", .boolean, default: false, "Whether it is repeated over the whole picture."),
            ParameterDescription("scale", .number(0.01...1), "Fits it into this share of the picture's width and height. Default: its own size."),
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
        isTiled = json["tile"]?.bool ?? false
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
        if isTiled { object["tile"] = true }
        object["scale"] = scale.map { JSON($0) }
        return .object(object)
    }
}
