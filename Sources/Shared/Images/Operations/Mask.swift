/// Keeps a shape of the picture; the rest becomes transparent.
package struct Mask: Sendable, Hashable {
    package enum Shape: String, Sendable, CaseIterable, Hashable { case circle, ellipse }
    package var shape: Shape

    package static let description = OperationDescription(
        name: "mask",
        summary: "Keeps a shape from the middle of the picture; the rest becomes transparent, the size stays.",
        parameters: [
            ParameterDescription(
                "shape", .choice(Shape.allCases.map(\.rawValue)), required: true,
                "circle: as large as fits; ellipse: touches all four edges.")
        ], main: "shape")

    init(_ json: JSON) { shape = json["shape"]?.string.flatMap { Shape(rawValue: $0) } ?? .ellipse }

    var canonical: JSON { ["op": "mask", "shape": .string(shape.rawValue)] }
}
