package import TintypeCore

/// Sharpens the lightness, edges more than flat areas.
package struct Sharpen: ImageOperation {
    package var sigma: Double
    package var amount: Double

    package static let description = OperationDescription(
        name: "sharpen",
        summary: "Sharpens the lightness, edges twice as much as flat areas.",
        parameters: [
            ParameterDescription("sigma", .number(0.3...10), default: 1, "The width of an edge, in pixels."),
            ParameterDescription(
                "amount", .number(0...10), default: 1,
                "The strength; 0 does nothing. For sharpen, the lightness, of 100, gains at most 10 and loses at most "
                    + "20."),
        ], main: "sigma")

    package init(_ json: JSON, at _: String) {
        sigma = json["sigma"]?.double ?? 1
        amount = json["amount"]?.double ?? 1
    }

    package var canonical: JSON? { amount == 0 ? nil : ["op": "sharpen", "sigma": JSON(sigma), "amount": JSON(amount)] }
}
