import TintypeCore

/// How a source is decoded.
package struct DecodeOptions: Sendable, Hashable {
    package enum Frames: String, Sendable, CaseIterable, Hashable { case all, first }
    package enum FailOn: String, Sendable, CaseIterable, Hashable { case none, truncated, error, warning }
    package enum Speed: String, Sendable, CaseIterable, Hashable { case fast, balanced, best }

    package var frames: Frames = .all
    /// Which page of a file that has several and does not move, or which frame where one is wanted; nil: the one that viewers show first. Never 0,
    /// which means the same.
    package var page: Int?
    package var failOn: FailOn = .truncated
    package var speed: Speed = .balanced
    /// The most decoded bytes (width × height × 4 of all frames); nil: the worker's own limit. Never what no picture has that is opened.
    package var limitBytes: Int?

    package init() {}

    package static let parameters: [ParameterDescription] = [
        ParameterDescription("frames", .choice(Frames.allCases.map(\.rawValue)), default: "all", "Of an animated picture: all of it, or its first frame."),
        ParameterDescription(
            "page", .integer(0...65535), default: 0,
            "Which page of a TIFF, HEIF or ICO, or of what moves which frame, where one is wanted: with frames \"first\", or in a format that cannot move. 0 is "
                + "the one that viewers show first, behind which the others of a HEIF or ICO follow in their order."
        ),
        ParameterDescription(
            "failOn", .choice(FailOn.allCases.map(\.rawValue)), default: "truncated", "From which kind of damage on a picture is refused instead of repaired."),
        ParameterDescription(
            "speed", .choice(Speed.allCases.map(\.rawValue)), default: "balanced",
            "How much a codec may shrink while decoding: fast takes all it can get, best nothing."),
        ParameterDescription(
            "limitBytes", .integer(1...Int.max),
            "The most decoded bytes, width × height × 4 of all frames: a larger picture is scaled down to them before anything else, each side to at least one pixel."
        ),
    ]

    init(_ json: JSON?) {
        frames = json?["frames"]?.string.flatMap { Frames(rawValue: $0) } ?? .all
        page = json?["page"]?.int.flatMap { $0 == 0 ? nil : $0 }
        failOn = json?["failOn"]?.string.flatMap { FailOn(rawValue: $0) } ?? .truncated
        speed = json?["speed"]?.string.flatMap { Speed(rawValue: $0) } ?? .balanced
        limitBytes = json?["limitBytes"]?.int.flatMap { $0 < 4 * PictureBounds.pixels.allowed.upperBound ? $0 : nil }
    }

    var canonical: JSONObject {
        var object = JSONObject()
        if frames != .all { object["frames"] = .string(frames.rawValue) }
        object["page"] = page.map { JSON($0) }
        if failOn != .truncated { object["failOn"] = .string(failOn.rawValue) }
        if speed != .balanced { object["speed"] = .string(speed.rawValue) }
        object["limitBytes"] = limitBytes.map { JSON($0) }
        return object
    }
}
