import TintypeCore

/// The shortest and longest freshness of a source and its results, in seconds, in place of what origin and requests say. A pure value.
package struct LifetimeBounds: Sendable, Hashable {
    private let least: Double
    /// nil: any.
    private let most: Double?

    private static let seconds = ParameterType.number(0...31_536_000)

    static let parameters: [ParameterDescription] = [
        ParameterDescription("min", seconds, default: 0, "The fewest seconds, unless the origin forbids caching or requires revalidation each time."),
        ParameterDescription("max", seconds, "The most seconds. Default: any."),
    ]

    /// Reads validated JSON; nil for nothing.
    init?(_ json: JSON?) {
        guard let json, json["min"]?.double != nil || json["max"]?.double != nil else { return nil }
        (least, most) = (json["min"]?.double ?? 0, json["max"]?.double)
    }

    /// Reads validated JSON from a file.
    /// - Throws: `invalidParams` if the bounds exclude each other.
    init?(_ json: JSON?, at path: String) throws(TintypeError) {
        self.init(json)
        if let most, most < least {
            throw .invalidParams(path: path + ".max", value: JSON(most), expected: "at least min, \(JSON(least).text)")
        }
    }

    /// The form that `init` reads.
    var json: JSON {
        var object = JSONObject()
        if least > 0 { object["min"] = JSON(least) }
        object["max"] = most.map { JSON($0) }
        return .object(object)
    }

    /// Returns the nearest time within the bounds.
    package func nearest(to seconds: Double) -> Double { min(max(seconds, least), most ?? .infinity) }
}
