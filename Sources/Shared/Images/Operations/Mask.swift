package import TintypeCore

/// Keeps a shape of the picture and makes everything else transparent.
package struct Mask: ImageOperation {
    package enum Shape: String, Sendable, CaseIterable, Hashable { case circle, ellipse }

    /// The shape; nil if `layer` gives it.
    package var shape: Shape?
    /// Another picture that gives the opacity of each pixel.
    package var layer: Layer?

    package static let description = OperationDescription(
        name: "mask",
        summary: "Keeps a shape in the middle of the picture, or the shape that another picture gives. Everything else becomes transparent; the size stays.",
        parameters: [
            ParameterDescription(
                "shape", .choice(Shape.allCases.map(\.rawValue)), "The shape to keep. circle: as large as fits; ellipse: touches all four edges."),
            Layer.parameter(
                "The URL of another picture; for a mask, stretched over this one. Its transparency, or else its brightness, gives the shape."),
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
