package import TintypeCore

/// The repetition of another picture or a text over the whole picture. A pure value.
package struct Tiling: Sendable, Hashable {
    /// The gap between two columns: below 1 a part of the picture's width, above that pixels. At least 0.
    package var x = 0.0
    /// The gap between two rows: below 1 a part of the picture's height, above that pixels. At least 0.
    package var y = 0.0

    /// As long as the longest side.
    private static let gap = ParameterType.number(0...16384)

    /// The type of the parameter `tile`.
    package static let type = ParameterType.union([
        .boolean,
        .object([
            ParameterDescription("gapX", gap, default: 0, "The gap between two columns."),
            ParameterDescription("gapY", gap, default: 0, "The gap between two rows."),
        ]),
    ])

    package init(x: Double = 0, y: Double = 0) { (self.x, self.y) = (x, y) }

    /// - Returns: nil if nothing is repeated.
    init?(_ json: JSON?) {
        guard let json, json.object != nil || json.bool == true else { return nil }
        self.init(x: json["gapX"]?.double ?? 0, y: json["gapY"]?.double ?? 0)
    }

    /// The one spelling of the value.
    package var canonical: JSON {
        guard x > 0 || y > 0 else { return true }
        var object = JSONObject()
        if x > 0 { object["gapX"] = JSON(x) }
        if y > 0 { object["gapY"] = JSON(y) }
        return .object(object)
    }
}
