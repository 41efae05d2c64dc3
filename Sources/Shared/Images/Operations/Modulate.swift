package import TintypeCore

/// Brightness, contrast, saturation, hue and gamma, in this order.
package struct Modulate: ImageOperation {
    package var brightness: Double
    package var contrast: Double
    package var saturation: Double
    /// Degrees.
    package var hue: Double
    package var gamma: Double

    package static let description = OperationDescription(
        name: "modulate",
        summary: "Changes brightness, contrast, saturation, hue and gamma, in this order, as CSS filters of these names do.",
        parameters: [
            ParameterDescription("brightness", .number(0...10), default: 1, "Every colour is multiplied by it: 0 is black."),
            ParameterDescription("contrast", .number(0...10), default: 1, "The distance from middle grey is multiplied by it: 0 is grey."),
            ParameterDescription("saturation", .number(-1...10), default: 1, "0 is grey, 2 twice as colourful."),
            ParameterDescription("hue", .number(-3600...3600), default: 0, "Degrees by which the colours move round the circle."),
            ParameterDescription("gamma", .number(0.1...10), default: 1, "Above 1 lightens what is dark, below 1 darkens it."),
        ])

    package init(_ json: JSON, at _: String) {
        brightness = json["brightness"]?.double ?? 1
        contrast = json["contrast"]?.double ?? 1
        saturation = json["saturation"]?.double ?? 1
        hue = Rotate.normal(json["hue"]?.double ?? 0)
        gamma = json["gamma"]?.double ?? 1
    }

    package var canonical: JSON? {
        var object: JSONObject = ["op": "modulate"]
        for (name, value) in [("brightness", brightness), ("contrast", contrast), ("saturation", saturation), ("gamma", gamma)] where value != 1 {
            object[name] = JSON(value)
        }
        if hue != 0 { object["hue"] = JSON(hue) }
        return object.count > 1 ? .object(object) : nil
    }
}
