package import TintypeCore

/// The properties that a source must have. A pure value.
package struct Requirement: Sendable, Hashable {
    /// Whether the source must be animated, or must not be.
    package var isAnimated: Bool?
    /// Whether the source must have transparency, or must not.
    package var hasAlpha: Bool?
    /// The fewest pixels of the upright source.
    package var minWidth: Int?
    package var minHeight: Int?

    /// The known properties of a source; nil: not known yet.
    package struct Found: Sendable, Hashable {
        package var isAnimated: Bool?
        package var hasAlpha: Bool?
        package var width: Int?
        package var height: Int?

        /// - Parameter orientation: the EXIF orientation, for a width and height as stored in the file.
        package init(format: ImageFormat?, width: Int?, height: Int?, frames: Int?, hasAlpha: Bool?, orientation: Int?) {
            isAnimated = frames.flatMap { count in format.map { $0.isAnimatable && count > 1 } }
            self.hasAlpha = hasAlpha
            (self.width, self.height) = orientation ?? 1 >= 5 ? (height, width) : (width, height)
        }
    }

    package static let parameter = ParameterDescription(
        "require",
        .object([
            ParameterDescription("animated", .boolean, "true: several frames that move; false: none."),
            ParameterDescription("alpha", .boolean, "true: the format says that the picture may be transparent; false: it does not."),
            ParameterDescription("minWidth", .integer(1...maxPixels), "The smallest width of the upright source, in pixels."),
            ParameterDescription("minHeight", .integer(1...maxPixels), "The smallest height of the upright source, in pixels."),
        ]),
        "The properties that a source must have, for pictures only. A cached source without them counts as missing. A download without them fails with "
            + "badImageData, which has `required` and `found`.")

    private static let maxPixels = 1_000_000

    /// Reads validated JSON; nil where nothing is required.
    package init?(_ json: JSON?) {
        isAnimated = json?["animated"]?.bool
        hasAlpha = json?["alpha"]?.bool
        minWidth = json?["minWidth"]?.int
        minHeight = json?["minHeight"]?.int
        if canonical.isEmpty { return nil }
    }

    /// The requirement for the key of the rendition and for the worker.
    package var canonical: JSONObject {
        JSONObject(present: [
            "animated": isAnimated.map { .bool($0) }, "alpha": hasAlpha.map { .bool($0) }, "minWidth": minWidth.map { JSON($0) },
            "minHeight": minHeight.map { JSON($0) },
        ])
    }

    /// Whether no known property of a source contradicts the requirement.
    package func isMet(by found: Found) -> Bool {
        func agrees(_ wanted: Bool?, _ known: Bool?) -> Bool { wanted == nil || known == nil || wanted == known }
        func reaches(_ least: Int?, _ known: Int?) -> Bool { least ?? 0 <= known ?? .max }
        return agrees(isAnimated, found.isAnimated) && agrees(hasAlpha, found.hasAlpha) && reaches(minWidth, found.width)
            && reaches(minHeight, found.height)
    }

    /// Returns the reason why a source is refused; nil if the source is accepted.
    package func refusal(of found: Found) -> TintypeError? {
        guard !isMet(by: found) else { return nil }
        let facts = JSONObject(present: [
            "animated": found.isAnimated.map { .bool($0) }, "alpha": found.hasAlpha.map { .bool($0) }, "width": found.width.map { JSON($0) },
            "height": found.height.map { JSON($0) },
        ])
        return TintypeError(
            .badImageData, .decode, "the source is not what is required: \(JSON.object(canonical).text) is asked for, \(JSON.object(facts).text) came",
            details: ["required": .object(canonical), "found": .object(facts)])
    }

    /// Whether an error says that a source does not meet the requirement of one request. Such an error says nothing about the source itself.
    package static func isRefusal(_ error: TintypeError) -> Bool { error.name == .badImageData && error.details["required"] != nil }
}
