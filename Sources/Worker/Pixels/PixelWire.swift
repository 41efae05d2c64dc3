import ImageHeads
import Shared

/// The JSON that a worker and its pixel processes exchange. Both sides are one binary, so it has no versions.
enum PixelWire {
    /// Goes with another picture that the job after it needs.
    static let layer: JSON = ["layer": true]
    static func isLayer(_ message: JSON) -> Bool { message["layer"] != nil }

    /// - Parameter isAgain: whether a process died over it before: then the source is read by itself first, so that it is known what killed the next.
    static func job(_ id: Int, _ job: PixelJob, deadline: Duration, isAgain: Bool) -> JSON {
        let limits = job.limits
        var object: JSONObject = [
            "id": JSON(id), "deadline": JSON(deadline / .milliseconds(1)),
            "limits": [
                JSON(limits.maxBytes), JSON(limits.maxPixels), JSON(limits.maxSide), JSON(limits.maxFrames), JSON(limits.maxDecodedBytes),
            ],
        ]
        object["rendition"] = job.rendition?.withNumberedLayers.canonical
        if job.isMoreToCome { object["more"] = true }
        if isAgain { object["again"] = true }
        if job.isPreview { object["blur"] = JSON(job.blur) }
        return .object(object)
    }

    static func limits(_ json: JSON?) -> ImageLimits {
        var limits = ImageLimits()
        guard let numbers = json?.array?.compactMap(\.int), numbers.count == 5 else { return limits }
        (limits.maxBytes, limits.maxPixels, limits.maxSide) = (numbers[0], numbers[1], numbers[2])
        (limits.maxFrames, limits.maxDecodedBytes) = (numbers[3], numbers[4])
        return limits
    }

    static func source(_ facts: SourceFacts) -> JSON {
        [
            "format": .string(facts.format.rawValue), "width": JSON(facts.size.width), "height": JSON(facts.size.height),
            "frames": JSON(facts.frames), "hasAlpha": .bool(facts.hasAlpha), "orientation": JSON(facts.orientation),
        ]
    }

    static func source(_ json: JSON) -> PixelSource? {
        guard let format = json["format"]?.string.flatMap({ ImageFormat(rawValue: $0) }), let width = json["width"]?.int,
            let height = json["height"]?.int
        else { return nil }
        return PixelSource(
            format: format, width: width, height: height, frames: json["frames"]?.int ?? 1, hasAlpha: json["hasAlpha"]?.bool ?? false,
            orientation: json["orientation"]?.int ?? 1)
    }

    static func picture(_ picture: EncodedPicture) -> JSON {
        var object: JSONObject = [
            "format": .string(picture.format.rawValue), "width": JSON(picture.size.width), "height": JSON(picture.size.height),
            "frames": JSON(picture.frames),
        ]
        object["quality"] = picture.quality.map { JSON($0) }
        return .object(object)
    }

    static func picture(_ bytes: [UInt8], _ json: JSON) -> PixelOutput? {
        guard let format = json["format"]?.string.flatMap({ ImageFormat(rawValue: $0) }) else { return nil }
        return PixelOutput(
            bytes: bytes, format: format, width: json["width"]?.int ?? 0, height: json["height"]?.int ?? 0, frames: json["frames"]?.int ?? 1,
            quality: json["quality"]?.int)
    }

    static func timings(_ timings: PictureTimings) -> JSON {
        [
            "decode": JSON(timings.decode / .seconds(1)), "transform": JSON(timings.transform / .seconds(1)),
            "encode": JSON(timings.encode / .seconds(1)),
        ]
    }

    static func timings(_ json: JSON) -> PixelTimings {
        PixelTimings(
            decode: json["decode"]?.double ?? 0, transform: json["transform"]?.double ?? 0, encode: json["encode"]?.double ?? 0)
    }
}
