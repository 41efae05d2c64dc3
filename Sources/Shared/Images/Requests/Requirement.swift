package import TintypeCore

/// What a source has to be so that a picture is made of it. A pure value.
package struct Requirement: Sendable, Hashable {
    /// Whether it has to move, or must not.
    package var isAnimated: Bool?
    /// Whether it has to be transparent somewhere, or must not.
    package var hasAlpha: Bool?
    /// Pixels that it has at least, once it is upright.
    package var minWidth: Int?
    package var minHeight: Int?

    /// What is known of a source; what is nil nobody has looked at yet.
    package struct Found: Sendable, Hashable {
        package var isAnimated: Bool?
        package var hasAlpha: Bool?
        package var width: Int?
        package var height: Int?

        /// - Parameter orientation: EXIF's, of width and height as they lie in the file.
        package init(format: ImageFormat?, width: Int?, height: Int?, frames: Int?, hasAlpha: Bool?, orientation: Int?) {
            isAnimated = frames.flatMap { count in format.map { $0.isAnimatable && count > 1 } }
            self.hasAlpha = hasAlpha
            (self.width, self.height) = orientation ?? 1 >= 5 ? (height, width) : (width, height)
        }
    }

    package static let parameter = ParameterDescription(
        "require",
        .object([
            ParameterDescription("animated", .boolean, "true: it has several frames that move; false: it has not."),
            ParameterDescription("alpha", .boolean, "true: its format says that it may be transparent; false: it does not."),
            ParameterDescription("minWidth", .integer(1...mostPixels), "Pixels of the source at least, once it is upright."),
            ParameterDescription("minHeight", .integer(1...mostPixels), "The same from top to bottom."),
        ]),
        "What the source has to be. What is kept and is not so counts as not kept, and its origin is asked; what comes and is not so ends with "
            + "badImageData, whose `required` and `found` say why. For pictures alone.")

    private static let mostPixels = 1_000_000

    /// Reads validated JSON; nil where nothing is required.
    package init?(_ json: JSON?) {
        isAnimated = json?["animated"]?.bool
        hasAlpha = json?["alpha"]?.bool
        minWidth = json?["minWidth"]?.int
        minHeight = json?["minHeight"]?.int
        if canonical.isEmpty { return nil }
    }

    /// For the rendition's key and the worker.
    package var canonical: JSONObject {
        var object = JSONObject()
        object["animated"] = isAnimated.map { .bool($0) }
        object["alpha"] = hasAlpha.map { .bool($0) }
        object["minWidth"] = minWidth.map { JSON($0) }
        object["minHeight"] = minHeight.map { JSON($0) }
        return object
    }

    /// Whether nothing that is known of a source speaks against it.
    package func isMet(by found: Found) -> Bool {
        func agrees(_ wanted: Bool?, _ known: Bool?) -> Bool { wanted == nil || known == nil || wanted == known }
        func reaches(_ least: Int?, _ known: Int?) -> Bool { least ?? 0 <= known ?? .max }
        return agrees(isAnimated, found.isAnimated) && agrees(hasAlpha, found.hasAlpha) && reaches(minWidth, found.width)
            && reaches(minHeight, found.height)
    }

    /// Why a source is not taken; nil if it is.
    package func refusal(of found: Found) -> TintypeError? {
        guard !isMet(by: found) else { return nil }
        var facts = JSONObject()
        facts["animated"] = found.isAnimated.map { .bool($0) }
        facts["alpha"] = found.hasAlpha.map { .bool($0) }
        facts["width"] = found.width.map { JSON($0) }
        facts["height"] = found.height.map { JSON($0) }
        return TintypeError(
            .badImageData, .decode, "the source is not what is required: \(JSON.object(canonical).text) is asked for, \(JSON.object(facts).text) came",
            details: ["required": .object(canonical), "found": .object(facts)])
    }

    /// Whether an error says that a source is not what one request requires: a fault of nobody else's.
    package static func isRefusal(_ error: TintypeError) -> Bool { error.name == .badImageData && error.details["required"] != nil }
}
