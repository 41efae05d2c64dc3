package import TintypeCore

/// Turns and mirrors the picture by its EXIF orientation. On by default, and always first.
package struct Autorotate: ImageOperation {
    package var isEnabled: Bool

    package static let description = OperationDescription(
        name: "autorotate",
        summary: "Turns the picture upright by its EXIF orientation, before any other operation. On by default; name the operation only to switch it off.",
        parameters: [
            ParameterDescription(
                "enabled", .boolean, default: true,
                "false: the pixels stay as they are stored. HEIF and AVIF have a turn of their own in place of EXIF; their decoder always applies it."
            )
        ], main: "enabled")

    package init(isEnabled: Bool) { self.isEnabled = isEnabled }

    package init(_ json: JSON, at _: String) { isEnabled = json["enabled"]?.bool ?? true }

    package var canonical: JSON? { isEnabled ? nil : ["op": "autorotate", "enabled": false] }
}

/// Mirrors left to right, top to bottom, or both.
package struct Flip: ImageOperation {
    package var horizontal: Bool
    package var vertical: Bool

    package static let description = OperationDescription(
        name: "flip",
        summary: "Mirrors the picture.",
        parameters: [
            ParameterDescription("horizontal", .boolean, default: false, "Swaps left and right."),
            ParameterDescription("vertical", .boolean, default: false, "Swaps top and bottom."),
        ])

    package init(horizontal: Bool = false, vertical: Bool = false) { (self.horizontal, self.vertical) = (horizontal, vertical) }

    package init(_ json: JSON, at _: String) {
        horizontal = json["horizontal"]?.bool ?? false
        vertical = json["vertical"]?.bool ?? false
    }

    package var canonical: JSON? {
        // Both flips are half a turn.
        if horizontal, vertical { return ["op": "rotate", "angle": 180] }
        return horizontal || vertical ? ["op": "flip", "horizontal": .bool(horizontal), "vertical": .bool(vertical)] : nil
    }
}

/// Turns clockwise by any angle.
package struct Rotate: ImageOperation {
    /// Clockwise, from 0 to less than 360.
    package var angle: Double
    /// Whether the canvas grows to contain the whole picture. Otherwise it keeps its size, and the corners are lost.
    package var expands: Bool
    package var background: Color

    package static let description = OperationDescription(
        name: "rotate",
        summary: "Turns the picture clockwise around its middle.",
        parameters: [
            ParameterDescription("angle", .number(-3600...3600), required: true, "Degrees clockwise; negative numbers turn the other way."),
            ParameterDescription(
                "expand", .boolean, default: true,
                "true: the canvas grows to contain the whole picture. false: the canvas keeps its size; the corners are lost."),
            ParameterDescription("background", Color.parameter, default: "transparent", "The color beside the turned picture."),
        ], main: "angle")

    /// Lossless quarter turns.
    init(quarters: Int) { (angle, expands, background) = (Self.normal(90 * Double(quarters)), true, .transparent) }

    package init(_ json: JSON, at _: String) {
        angle = Self.normal(json["angle"]?.double ?? 0)
        expands = json["expand"]?.bool ?? true
        background = Color(json["background"]) ?? .transparent
    }

    /// The number of quarter turns; nil if it is not a whole number.
    package var quarters: Int? { angle.truncatingRemainder(dividingBy: 90) == 0 ? Int(angle / 90) : nil }

    package var canonical: JSON? {
        if angle == 0 { return nil }
        var object: JSONObject = ["op": "rotate", "angle": JSON(angle)]
        // Half a turn fits its own canvas, and quarter turns on a growing canvas leave nothing to fill.
        if !expands, angle != 180 { object["expand"] = false }
        if background.alpha != 0, quarters == nil || object["expand"] != nil { object["background"] = .string(background.canonical) }
        return .object(object)
    }

    /// Returns the same direction, from 0 to less than 360 degrees.
    static func normal(_ degrees: Double) -> Double {
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        let positive = rest < 0 ? rest + 360 : rest
        // Rounding turns a tiny negative remainder into 360, and minus zero is zero.
        return positive >= 360 || positive == 0 ? 0 : positive
    }
}
