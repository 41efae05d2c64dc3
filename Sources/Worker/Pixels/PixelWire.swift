import ImageHeads
import TintypeCore
import TintypeImages

/// The JSON that a worker and its pixel processes exchange. Both sides are one binary, so it has no versions.
///
/// A process may have been taken over by its picture: no number, word or list of it is passed on that an honest one could not say.
enum PixelWire {
    /// The sides of a picture, as libvips bounds them.
    private static let sides = 0...10_000_000
    /// Bytes of an error, of a codec's name and the like. In one character there may be any number of them.
    private static let (longestMessage, longestWord) = (1024, 64)
    /// Pixels or bytes of a limit. Readers of JSON that know doubles alone know this number exactly.
    private static let amounts = 0...1 << 53
    /// Bytes and levels of all that is told of a picture: EXIF has three texts of 128 bytes, a palette six colours.
    private static let mostDescription = JSON.Allowance(bytes: 8 << 10, levels: 3)
    /// The same of the colours of pixels, which are many and short.
    private static let mostColors = JSON.Allowance(bytes: 8 << 10, levels: 4)

    /// Goes with the memory that the result of the job after it is written into.
    static let output: JSON = ["output": true]
    static func isOutput(_ message: JSON) -> Bool { message["output"] != nil }

    /// Goes with another picture that the job after it needs.
    static let layer: JSON = ["layer": true]
    static func isLayer(_ message: JSON) -> Bool { message["layer"] != nil }

    /// - Parameter isAgain: whether a process died over it before: then the source is read by itself first, so that it is known what killed the next.
    static func job(_ id: Int, _ job: PixelJob, deadline: Duration, isAgain: Bool) -> JSON {
        let limits = job.limits
        var object: JSONObject = [
            "id": JSON(id), "deadline": JSON(deadline / .milliseconds(1)), "interval": JSON(job.reportInterval / .milliseconds(1)),
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
            format: format, width: clamped(width, sides), height: clamped(height, sides), frames: clamped(json["frames"]?.int ?? 1, 1...1_000_000),
            hasAlpha: json["hasAlpha"]?.bool ?? false, orientation: clamped(json["orientation"]?.int ?? 1, 1...8))
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
            bytes: bytes, format: format, width: clamped(json["width"]?.int ?? 0, sides), height: clamped(json["height"]?.int ?? 0, sides),
            frames: clamped(json["frames"]?.int ?? 1, 1...1_000_000), quality: json["quality"]?.int.map { clamped($0, 0...100) })
    }

    static func timings(_ timings: PictureTimings) -> JSON {
        [
            "decode": JSON(timings.decode / .seconds(1)), "transform": JSON(timings.transform / .seconds(1)),
            "encode": JSON(timings.encode / .seconds(1)),
        ]
    }

    static func timings(_ json: JSON) -> PixelTimings {
        func seconds(_ name: String) -> Double { clamped(json[name]?.double ?? 0, 0...86_400) }
        return PixelTimings(decode: seconds("decode"), transform: seconds("transform"), encode: seconds("encode"))
    }

    /// nil for what tells of no progress.
    static func progress(_ message: JSON) -> PixelProgress? {
        guard let phase = message["progress"]?.string.flatMap({ Phase(rawValue: $0) }), [.decode, .transform, .encode].contains(phase) else { return nil }
        return PixelProgress(phase: phase, fraction: message["fraction"]?.double.map { clamped($0, 0...1) })
    }

    /// Resident bytes after a picture.
    static func resident(_ message: JSON) -> Int { clamped(message["rss"]?.int ?? 0, 0...1 << 46) }

    /// What became of a picture that failed.
    static func failure(_ json: JSON) -> TintypeError {
        let told = TintypeError(json: json)
        let names: [ErrorName] = [.badImageData, .unsupportedFormat, .limitExceeded, .transformFailed, .encodeFailed, .timeout, .cancelled]
        guard names.contains(told.name) else { return TintypeError(.internalError, .decode, "the pixel process names an error that is none of a picture") }
        var details = JSONObject()
        for key in ["which", "limit", "phase"] { details[key] = told.details[key]?.string.map { .string(word($0)) } }
        for key in ["value", "allowed"] { details[key] = told.details[key]?.int.map { JSON(clamped($0, amounts)) } }
        let phase = [.decode, .transform, .encode].contains(told.phase) ? told.phase : .decode
        // A picture that fails does so again.
        return TintypeError(
            told.name, phase, cut(told.message, longestMessage), retryable: told.name == .cancelled ? nil : false, details: details)
    }

    /// The description of a picture (`describe`): members of known names, as far as they fit.
    static func description(_ json: JSON?) -> JSONObject? {
        guard let told = json?.object else { return nil }
        var (kept, left) = (JSONObject(), mostDescription)
        for (name, value) in told.members where PictureTrait(rawValue: name) != nil {
            let isOfColors = name == PictureTrait.colors.rawValue
            var rest = isOfColors ? mostColors : left
            guard value.fits(&rest, depth: 1) else { continue }
            kept[name] = value
            if !isOfColors { left = rest }
        }
        return kept
    }

    // MARK: Ready

    /// - Parameters:
    ///   - codecs: as `CodecWarmUp` has found.
    ///   - missingWalls: what the system does not give, with the reason.
    static func ready(_ codecs: JSON, missingWalls: [String]) -> JSON { ["ready": codecs, "missingWalls": .array(missingWalls.map { .string($0) })] }

    static func missingWalls(_ message: JSON) -> [String] { words(message["missingWalls"]) }

    /// What a process says of its codecs: workers show it to every client.
    static func codecs(_ json: JSON) -> JSON {
        var codecs: JSONObject = [:]
        codecs["vips"] = json["vips"]?.string.map { .string(word($0)) }
        for key in ["decode", "encode", "lossless"] {
            let formats = json[key]?.array?.compactMap { $0.string.flatMap { ImageFormat(rawValue: $0) } } ?? []
            codecs[key] = .array(formats.prefix(longestWord).map { .string($0.rawValue) })
        }
        codecs["fonts"] = .array(words(json["fonts"]).map { .string($0) })
        return .object(codecs)
    }

    private static func words(_ json: JSON?) -> [String] { (json?.array ?? []).prefix(longestWord).compactMap(\.string).map(word) }
    private static func word(_ text: String) -> String { cut(text, longestWord) }

    /// The beginning of a text: no more than so many bytes, and no part of a scalar.
    private static func cut(_ text: String, _ most: Int) -> String {
        guard text.utf8.count > most else { return text }
        let bytes = Array(text.utf8.prefix(most + 1))
        var end = most
        while bytes[end] & 0xc0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    private static func clamped<Number: Comparable>(_ number: Number, _ range: ClosedRange<Number>) -> Number {
        min(max(number, range.lowerBound), range.upperBound)
    }
}
