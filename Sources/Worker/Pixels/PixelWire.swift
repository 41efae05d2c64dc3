import Engine
import ImageHeads
import TintypeCore
import TintypeImages

/// The JSON between a worker and its pixel processes. Both sides are one binary, so there are no versions.
///
/// A picture may have compromised the process. So every number, text and list is limited to values that an honest process could send.
enum PixelWire {
    /// The side lengths that libvips allows.
    private static let sides = 0...10_000_000
    /// The most bytes of an error message, and of a short text such as a codec's name. Bytes, because one character may have any number of them.
    private static let (maxMessage, maxWord) = (1024, 64)
    /// The pixels or bytes of a limit. JSON readers that only have doubles read the upper bound exactly.
    private static let amounts = 0...1 << 53
    /// The most bytes and levels of a whole description: EXIF has three texts of 128 bytes, a palette has six colors.
    private static let maxDescription = JSON.Allowance(bytes: 8 << 10, levels: 3)
    /// The same for the colors of pixels, which are many and short.
    private static let maxColors = JSON.Allowance(bytes: 8 << 10, levels: 4)

    /// The message with the memory for the next job's result.
    static let output: JSON = ["output": true]
    /// The message with the window for short sources.
    static let window: JSON = ["window": true]
    /// The message with another picture for the next job.
    static let layer: JSON = ["layer": true]

    /// - Parameters:
    ///   - isAgain: whether a process died of the job before. The source is then read alone first, so that the cause of the next death is known.
    ///   - shown: whether the source is in the window; otherwise its memory goes with the message.
    static func job(_ id: Int, _ job: PixelJob, deadline: Duration, isAgain: Bool, isShown: Bool) -> JSON {
        let limits = job.limits
        var object: JSONObject = [
            "id": JSON(id), "deadline": JSON(deadline / .milliseconds(1)), "interval": JSON(job.reportInterval / .milliseconds(1)),
            "source": JSON(job.source.number),
            "limits": [
                JSON(limits.maxBytes), JSON(limits.maxPixels), JSON(limits.maxSide), JSON(limits.maxFrames), JSON(limits.maxDecodedBytes),
            ],
        ]
        object["rendition"] = job.rendition?.withNumberedLayers.canonical
        if job.isMoreToCome { object["more"] = true }
        if isAgain { object["again"] = true }
        if isShown { object["shown"] = JSON(job.source.count) }
        if job.isPreview { object["blur"] = JSON(job.blur) }
        return .object(object)
    }

    /// The number of the source of a job.
    static func number(_ message: JSON) -> Int { message["source"]?.int ?? 0 }

    /// The length of a source in the window; nil for a source in memory of its own, and for a message without a job.
    static func shown(_ message: JSON) -> Int? { message["shown"]?.int }

    static func limits(_ json: JSON?) -> ImageLimits {
        var limits = ImageLimits()
        guard let numbers = json?.array?.compactMap(\.int), numbers.count == 5 else { return limits }
        (limits.maxBytes, limits.maxPixels, limits.maxSide) = (numbers[0], numbers[1], numbers[2])
        (limits.maxFrames, limits.maxDecodedBytes) = (numbers[3], numbers[4])
        return limits
    }

    /// - Parameter container: the format of the file, if it differs from that of the picture.
    static func source(_ facts: ImageProperties, _ container: ImageFormat? = nil) -> JSON {
        [
            "format": .string((container ?? facts.format).rawValue), "width": JSON(facts.size.width), "height": JSON(facts.size.height),
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
            "frames": JSON(picture.frames), "bytes": JSON(picture.bytes.count),
        ]
        object["quality"] = picture.quality.map { JSON($0) }
        return .object(object)
    }

    /// The length of a picture in its memory.
    static func length(_ picture: JSON) -> Int { picture["bytes"]?.int ?? 0 }

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

    /// Reads a progress message; nil if the message is another one.
    static func progress(_ message: JSON) -> PixelProgress? {
        guard let phase = message["progress"]?.string.flatMap({ Phase(rawValue: $0) }), [.decode, .transform, .encode].contains(phase) else { return nil }
        return PixelProgress(phase: phase, fraction: message["fraction"]?.double.map { clamped($0, 0...1) })
    }

    /// The resident bytes after a picture.
    static func resident(_ message: JSON) -> Int { clamped(message["rss"]?.int ?? 0, 0...1 << 46) }

    /// Reads the error of a failed picture.
    static func failure(_ json: JSON) -> TintypeError {
        let reported = TintypeError(json: json)
        let names: [ErrorName] = [.badImageData, .unsupportedFormat, .limitExceeded, .transformFailed, .encodeFailed, .timeout, .cancelled]
        guard names.contains(reported.name) else {
            return TintypeError(.internalError, .decode, "the pixel process reported an error that pictures cannot have")
        }
        var details = JSONObject()
        for key in ["which", "limit", "phase"] { details[key] = reported.details[key]?.string.map { .string(word($0)) } }
        for key in ["value", "allowed"] { details[key] = reported.details[key]?.int.map { JSON(clamped($0, amounts)) } }
        let phase = [.decode, .transform, .encode].contains(reported.phase) ? reported.phase : .decode
        // A picture that failed once fails again.
        return TintypeError(reported.name, phase, cut(reported.message, maxMessage), retryable: reported.name == .cancelled ? nil : false, details: details)
    }

    /// Reads the description of a picture (`describe`): members with known names, as far as they fit.
    static func description(_ json: JSON?) -> JSONObject? {
        guard let reported = json?.object else { return nil }
        var (kept, left) = (JSONObject(), maxDescription)
        for (name, value) in reported.members where PictureTrait(rawValue: name) != nil {
            let isOfColors = name == PictureTrait.colors.rawValue
            var rest = isOfColors ? maxColors : left
            guard value.fits(&rest, depth: 1) else { continue }
            kept[name] = value
            if !isOfColors { left = rest }
        }
        return kept
    }

    // MARK: Ready

    /// - Parameters:
    ///   - codecs: the result of `CodecWarmUp`.
    ///   - missingLimits: the sandbox features that the system lacks, with the reasons.
    static func ready(_ codecs: JSON, missingLimits: [String]) -> JSON { ["ready": codecs, "missingLimits": .array(missingLimits.map { .string($0) })] }

    static func missingLimits(_ message: JSON) -> [String] { words(message["missingLimits"]) }

    /// Reads the codecs of a process. Workers show them to every client.
    static func codecs(_ json: JSON) -> JSON {
        var codecs: JSONObject = [:]
        codecs["vips"] = json["vips"]?.string.map { .string(word($0)) }
        for key in ["decode", "encode", "lossless"] {
            let formats = json[key]?.array?.compactMap { $0.string.flatMap { ImageFormat(rawValue: $0) } } ?? []
            codecs[key] = .array(formats.prefix(maxWord).map { .string($0.rawValue) })
        }
        codecs["fonts"] = .array(words(json["fonts"]).map { .string($0) })
        return .object(codecs)
    }

    private static func words(_ json: JSON?) -> [String] { (json?.array ?? []).prefix(maxWord).compactMap(\.string).map(word) }
    private static func word(_ text: String) -> String { cut(text, maxWord) }

    /// Cuts a text after at most this number of bytes, without splitting a scalar.
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
