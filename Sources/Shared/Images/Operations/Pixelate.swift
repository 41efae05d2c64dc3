import TintypeCore

/// Large flat squares instead of pixels.
package struct Pixelate: Sendable, Hashable {
    package var size: Int

    package static let description = OperationDescription(
        name: "pixelate",
        summary: "Squares of one colour each, the average of what they cover, from the top left corner on.",
        parameters: [ParameterDescription("size", .integer(1...16384), default: 10, "The side of a square in pixels.")], main: "size")

    init(_ json: JSON) { size = json["size"]?.int ?? 10 }

    var canonical: JSON? { size == 1 ? nil : ["op": "pixelate", "size": JSON(size)] }
}
