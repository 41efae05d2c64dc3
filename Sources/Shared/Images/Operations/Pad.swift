package import TintypeCore

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
        var object: JSONObject = ["op": "pad"]
        object["width"] = width.map { JSON($0) }
        object["height"] = height.map { JSON($0) }
        object["aspect"] = aspect.map { JSON($0) }
        if gravity != .center { object["gravity"] = gravity.json }
        if color.alpha != 0 { object["color"] = .string(color.canonical) }
        return .object(object)
    }
}
