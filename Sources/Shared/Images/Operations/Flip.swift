package import TintypeCore

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
