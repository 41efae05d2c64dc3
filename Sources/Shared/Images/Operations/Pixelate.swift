package import TintypeCore

/// Replaces the pixels by large squares.
package struct Pixelate: ImageOperation {
    package var size: Int

    package static let description = OperationDescription(
        name: "pixelate",
        summary: "Replaces the picture by squares, each with the average color of its part, from the top left corner.",
        parameters: [ParameterDescription("size", .integer(1...16384), default: 10, "The side of a square in pixels.")], main: "size")

    package init(_ json: JSON, at _: String) { size = json["size"]?.int ?? 10 }

    package var canonical: JSON? { size == 1 ? nil : ["op": "pixelate", "size": JSON(size)] }
}
