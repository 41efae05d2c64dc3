package import TintypeCore

/// Large flat squares instead of pixels.
package struct Pixelate: ImageOperation {
    package var size: Int

    package static let description = OperationDescription(
        name: "pixelate",
        summary: "Squares of one colour each, the average of what they cover, from the top left corner on.",
        parameters: [ParameterDescription("size", .integer(1...16384), default: 10, "The side of a square in pixels.")], main: "size")

    package init(_ json: JSON, at _: String) { size = json["size"]?.int ?? 10 }

    package var canonical: JSON? { size == 1 ? nil : ["op": "pixelate", "size": JSON(size)] }
}
