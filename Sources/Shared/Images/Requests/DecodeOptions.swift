import TintypeCore

/// How a source is decoded.
package struct DecodeOptions: Sendable, Hashable {
    package enum Frames: String, Sendable, CaseIterable, Hashable { case all, first }
    package enum FailOn: String, Sendable, CaseIterable, Hashable { case none, truncated, error, warning }
    package enum Speed: String, Sendable, CaseIterable, Hashable { case fast, balanced, best }

    package var frames: Frames = .all
    /// Which page of a file with several pages, or which frame where only one is wanted. nil: the page that viewers show first. Never 0,
    /// which means the same.
    package var page: Int?
    package var failOn: FailOn = .truncated
    package var speed: Speed = .balanced
    /// The most decoded bytes (width × height × 4 of all frames); nil: the worker's own limit. Never a number that no accepted picture reaches.
    package var limitBytes: Int?
    /// The most pixels of the wanted frames together; nil: the worker's own limit. A larger picture is refused.
    package var maxPixels: Int?
    /// The most pixels of each frame of an animation, in place of `maxPixels`; nil: `maxPixels` counts.
    package var maxFramePixels: Int?
    /// Whether the thumbnail in the file takes the place of the picture, if the file has one.
    package var isThumbnail = false

    package init() {}

    package static let parameters: [ParameterDescription] = [
        ParameterDescription("frames", .choice(Frames.allCases.map(\.rawValue)), default: "all", "Which frames of an animation to decode."),
        ParameterDescription(
            "page", .integer(0...65535), default: 0,
            "The page of a TIFF, HEIF or icon. For an animation: the frame, with frames \"first\" or for an output that cannot move. Page 0 is "
                + "the page that viewers show first; the other pages of a HEIF or icon follow in order."
        ),
        ParameterDescription(
            "failOn", .choice(FailOn.allCases.map(\.rawValue)), default: "truncated",
            "The least damage that refuses a picture: an early end, wrong data (`error`), or whatever a decoder warns of."),
        ParameterDescription(
            "speed", .choice(Speed.allCases.map(\.rawValue)), default: "balanced",
            "How much the codec may shrink the picture while decoding. fast: as much as possible; best: not at all."),
        ParameterDescription(
            "limitBytes", .integer(1...Int.max),
            "The most decoded bytes: width × height × 4 of all frames. A larger picture is first scaled down to fit, to at least one pixel a side. A baseline "
                + "JPEG may then exceed the worker's limits of pixels and sides: it is scaled down while it is read."
        ),
        ParameterDescription(
            "maxPixels", .integer(1...Int.max),
            "The most pixels of the source: width × height of all wanted frames. A larger picture fails with limitExceeded."),
        ParameterDescription(
            "maxFramePixels", .integer(1...Int.max), "The most pixels of each frame of an animation, in place of maxPixels."),
        ParameterDescription(
            "thumbnail", .boolean, default: false,
            "Takes the thumbnail in a jpeg, heif or avif as the picture, if it has one, also for maxPixels and describe."),
    ]

    init(_ json: JSON?) {
        frames = json?["frames"]?.string.flatMap { Frames(rawValue: $0) } ?? .all
        page = json?["page"]?.int.flatMap { $0 == 0 ? nil : $0 }
        failOn = json?["failOn"]?.string.flatMap { FailOn(rawValue: $0) } ?? .truncated
        speed = json?["speed"]?.string.flatMap { Speed(rawValue: $0) } ?? .balanced
        limitBytes = json?["limitBytes"]?.int.flatMap { $0 < 4 * PictureBounds.pixels.allowed.upperBound ? $0 : nil }
        maxPixels = json?["maxPixels"]?.int.flatMap { $0 < PictureBounds.pixels.allowed.upperBound ? $0 : nil }
        maxFramePixels = json?["maxFramePixels"]?.int
        isThumbnail = json?["thumbnail"]?.bool ?? false
    }

    var canonical: JSONObject {
        JSONObject(present: [
            "frames": .when(frames != .all, .string(frames.rawValue)), "page": page.map { JSON($0) },
            "failOn": .when(failOn != .truncated, .string(failOn.rawValue)), "speed": .when(speed != .balanced, .string(speed.rawValue)),
            "limitBytes": limitBytes.map { JSON($0) }, "maxPixels": maxPixels.map { JSON($0) }, "maxFramePixels": maxFramePixels.map { JSON($0) },
            "thumbnail": .when(isThumbnail, true),
        ])
    }
}
