package import TintypeCore

/// The brown of old photographs.
package struct Sepia: ImageOperation {
    package var amount: Double

    package static let description = OperationDescription(
        name: "sepia",
        summary: "Gives the brown of old photographs, as the CSS filter of this name.",
        parameters: [ParameterDescription("amount", .number(0...1), default: 1, "0 does nothing, 1 is full.")], main: "amount")

    package init(_ json: JSON, at _: String) { amount = json["amount"]?.double ?? 1 }

    package var canonical: JSON? { amount == 0 ? nil : ["op": "sepia", "amount": JSON(amount)] }
}
