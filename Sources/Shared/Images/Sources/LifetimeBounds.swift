import TintypeCore

/// How many seconds a source, and what is made of it, is fresh at the least and at the most, whatever its origin and its requests say. A pure value.
package struct LifetimeBounds: Sendable, Hashable {
    private let least: Double
    /// nil: any.
    private let most: Double?

    private static let seconds = ParameterType.number(0...31_536_000)

    static let parameters: [ParameterDescription] = [
        ParameterDescription("min", seconds, default: 0, "Seconds at the least, unless the origin forbids to keep it or wants to be asked each time."),
        ParameterDescription("max", seconds, "Seconds at the most. Default: any."),
    ]

    /// Reads validated JSON; nil for nothing.
    init?(_ json: JSON?) {
        guard let json, json["min"]?.double != nil || json["max"]?.double != nil else { return nil }
        (least, most) = (json["min"]?.double ?? 0, json["max"]?.double)
    }

    /// Reads validated JSON as people write it.
    /// - Throws: `invalidParams` where there is nothing between the bounds.
    init?(_ json: JSON?, at path: String) throws(TintypeError) {
        self.init(json)
        if let most, most < least {
            throw .invalidParams(path: path + ".max", value: JSON(most), expected: "no less than min, \(JSON(least).text)")
        }
    }

    /// What `init` reads.
    var json: JSON {
        var object = JSONObject()
        if least > 0 { object["min"] = JSON(least) }
        object["max"] = most.map { JSON($0) }
        return .object(object)
    }

    /// The nearest time within the bounds.
    package func nearest(to seconds: Double) -> Double { min(max(seconds, least), most ?? .infinity) }
}
