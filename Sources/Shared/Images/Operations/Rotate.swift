/// Turns clockwise by quarter turns.
package struct Rotate: Sendable, Hashable {
    /// 0, 90, 180 or 270 degrees clockwise.
    package var angle: Int

    package static let description = OperationDescription(
        name: "rotate",
        summary: "Turns the picture clockwise by quarter turns.",
        parameters: [
            ParameterDescription("angle", .integer(-3600...3600), required: true, "Degrees clockwise, a multiple of 90; negative turns the other way.")
        ])

    init(_ json: JSON, at path: String) throws(TintypeError) {
        let degrees = json["angle"]?.int ?? 0
        guard degrees % 90 == 0 else { throw .invalidParams(path: path + ".angle", value: json["angle"], expected: "a multiple of 90") }
        angle = (degrees % 360 + 360) % 360
    }

    var canonical: JSON? { angle == 0 ? nil : ["op": "rotate", "angle": JSON(angle)] }
}
