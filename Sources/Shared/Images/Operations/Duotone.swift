package import TintypeCore

/// Two colors: one for the dark parts, one for the light parts, and mixtures between.
package struct Duotone: ImageOperation {
    package var shadow: Color
    package var highlight: Color
    /// 0…1: the share of the two colors; the rest is the picture as it was.
    package var amount: Double

    package static let description = OperationDescription(
        name: "duotone",
        summary: "Maps dark to one opaque color and light to another.",
        parameters: [
            ParameterDescription("shadow", Color.parameter, default: "black", "The color for black."),
            ParameterDescription("highlight", Color.parameter, default: "white", "The color for white."),
            ParameterDescription("amount", .number(0...1), default: 1, "0 does nothing, 1 is full."),
        ])

    package init(_ json: JSON, at _: String) {
        shadow = Color(json["shadow"]) ?? Color(red: 0, green: 0, blue: 0)
        highlight = Color(json["highlight"]) ?? .white
        amount = json["amount"]?.double ?? 1
    }

    package var canonical: JSON? {
        guard amount > 0 else { return nil }
        var object: JSONObject = ["op": "duotone", "shadow": .string(shadow.opaque.canonical), "highlight": .string(highlight.opaque.canonical)]
        if amount < 1 { object["amount"] = JSON(amount) }
        return .object(object)
    }
}
