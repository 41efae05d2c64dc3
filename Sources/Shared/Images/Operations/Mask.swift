package import TintypeCore

/// Keeps a shape of the picture; the rest becomes transparent.
package struct Mask: ImageOperation {
    package enum Shape: String, Sendable, CaseIterable, Hashable { case circle, ellipse }

    /// nil where another picture says it.
    package var shape: Shape?
    /// Another picture that says how much of each pixel is kept.
    package var layer: Layer?

    package static let description = OperationDescription(
        name: "mask",
        summary: "Keeps a shape from the middle of the picture, or what another picture says; the rest becomes transparent, the size stays.",
        parameters: [
            ParameterDescription(
                "shape", .choice(Shape.allCases.map(\.rawValue)), "circle: as large as fits; ellipse: touches all four edges."),
            Layer.parameter(
                "Of another picture, stretched over this one: its transparency says what is kept or, if it has none, its brightness."),
        ], main: "shape")

    package init(_ json: JSON, at path: String) throws(TintypeError) {
        shape = json["shape"]?.string.flatMap { Shape(rawValue: $0) }
        layer = try Layer(json["url"])
        if (shape == nil) == (layer == nil) {
            throw .invalidParams(path: path + ".shape", value: json["shape"], expected: "either a shape or a url")
        }
    }

    package var layers: [Layer] {
        get { layer.map { [$0] } ?? [] }
        set { layer = newValue.first }
    }

    package var canonical: JSON? {
        var object: JSONObject = ["op": "mask"]
        object["shape"] = shape.map { .string($0.rawValue) }
        object["url"] = layer?.canonical
        return .object(object)
    }
}
