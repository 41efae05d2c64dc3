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
        summary: "Changes brightness, contrast, saturation, hue and gamma, in this order, as the CSS filters of these names.",
        parameters: [
            ParameterDescription("brightness", .number(0...10), default: 1, "The factor of all colors: 0 is black."),
            ParameterDescription("contrast", .number(0...10), default: 1, "The factor of the distance from middle gray: 0 is gray."),
            ParameterDescription("saturation", .number(-1...10), default: 1, "The saturation: 0 is gray, 2 twice as colorful."),
            ParameterDescription("hue", .number(-3600...3600), default: 0, "Degrees by which colors turn on the color circle."),
            ParameterDescription("gamma", .number(0.1...10), default: 1, "The gamma: above 1 dark parts become lighter, below 1 darker."),
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
