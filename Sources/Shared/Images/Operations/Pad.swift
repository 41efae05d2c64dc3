package import TintypeCore

/// Puts the picture on a canvas of at least a size, or of a shape. Never cuts, never scales.
package struct Pad: ImageOperation {
    package var width: Int?
    package var height: Int?
    /// Width by height.
    package var aspect: Double?
    package var gravity: Gravity
    package var color: Color

    package static let description = OperationDescription(
        name: "pad",
        summary: "Puts the picture on a canvas of at least this size, or of this shape; it is neither cut nor scaled.",
        parameters: [
            ParameterDescription("width", .integer(1...16384), "The least width of the canvas."),
            ParameterDescription("height", .integer(1...16384), "The least height of the canvas."),
            ParameterDescription("aspect", .number(0.01...100), "Width by height of the canvas: 1 is square. It grows on one side until it has this shape."),
            ParameterDescription("gravity", Gravity.anchor, default: "center", "Where the picture lies on it."),
            ParameterDescription("color", Color.parameter, default: "transparent", "Of the canvas."),
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
        var object: JSONObject = ["op": "pad"]
        object["width"] = width.map { JSON($0) }
        object["height"] = height.map { JSON($0) }
        object["aspect"] = aspect.map { JSON($0) }
        if gravity != .center { object["gravity"] = gravity.json }
        if color.alpha != 0 { object["color"] = .string(color.canonical) }
        return .object(object)
    }
}
