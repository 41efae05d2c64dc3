package import TintypeCore

/// Chooses frames of an animated picture, reverses them, changes their pace.
package struct Frames: ImageOperation {
    package var pick: [Int]?
    package var first: Int?
    package var isReversed: Bool
    package var speed: Double

    package static let description = OperationDescription(
        name: "frames",
        summary: "Chooses frames of an animated picture: the picked ones, or the first ones. Then reverses them, then changes their pace. "
            + "A format that cannot move gets the first remaining frame. All frames up to the last wanted one may have 2,000 million pixels.",
        parameters: [
            ParameterDescription(
                "pick", .array(of: .integer(0...65535), count: 1...256),
                "The numbers of the frames, from 0, in this order. A frame may come twice."),
            ParameterDescription("first", .integer(1...65535), "The number of frames to keep, from the first one."),
            ParameterDescription("reverse", .boolean, default: false, "Whether to reverse the order."),
            ParameterDescription(
                "speed", .number(0.01...100), default: 1, "The speed: 2 is twice as fast. A frame lasts at least 0.02 s and at most what the format can say."),
        ], main: "first")

    /// The first frames, unchanged.
    package init(first: Int) { (pick, self.first, isReversed, speed) = (nil, first, false, 1) }

    package init(_ json: JSON, at path: String) throws(TintypeError) {
        pick = json["pick"]?.array?.compactMap(\.int)
        first = json["first"]?.int
        isReversed = json["reverse"]?.bool ?? false
        speed = json["speed"]?.double ?? 1
        if pick != nil, first != nil { throw .invalidParams(path: path + ".first", value: json["first"], expected: "either pick or first") }
    }

    package var mayRepeatFrames: Bool { pick.map { $0.count > 1 } ?? false }

    package var canonical: JSON? { canonical(isRepeated: false) }

    package func canonical(isRepeated: Bool) -> JSON? {
        var object: JSONObject = ["op": "frames"]
        // The first frame is there in any case.
        let (pick, first) = self.pick == [0] ? (nil, 1) : (self.pick, self.first)
        object["pick"] = pick.map { .array((isReversed ? $0.reversed() : $0).map { JSON($0) }) }
        object["first"] = first.map { JSON($0) }
        let isOne = first == 1 || pick?.count == 1
        if isReversed, pick == nil, !isOne { object["reverse"] = true }
        // A single frame has no time, unless a later operation repeats it.
        if speed != 1, !isOne || isRepeated { object["speed"] = JSON(speed) }
        return object.count > 1 ? .object(object) : nil
    }
}

/// Makes an animation of several pictures, or of the frames that lie side by side in one picture.
package struct Animate: ImageOperation {
    /// Frames of equal size in the rows of one picture.
    package struct Sheet: Sendable, Hashable {
        package var columns: Int
        package var rows: Int
        /// The number of frames, row by row from the upper left one.
        package var count: Int
    }

    /// nil if each frame is a picture of its own.
    package var sheet: Sheet?
    /// The pictures after the first one, which is the current picture.
    package var layers: [Layer]
    /// Milliseconds: one number for all frames, or one for each frame.
    package var delays: [Int]
    /// How often the animation plays; 0: for ever.
    package var loop: Int
    package var fit: Resize.Fit
    package var background: Color

    /// The most pictures that one animation may need besides the source.
    package static let maxPictures = 31
    private static let usualDelay = 100
    private static let delay = ParameterType.integer(20...655_350)
    private static let fits = [Resize.Fit.contain, .cover, .fill]

    package static let description = OperationDescription(
        name: "animate",
        summary: "Makes an animation of this picture and others, or of the frames in this picture (a sprite sheet). Later operations change each frame, "
            + "earlier ones only this picture. A format that cannot move gets the first frame; without a named format, the result is WebP.",
        parameters: [
            ParameterDescription(
                "urls", .array(of: Layer.type, count: 1...maxPictures),
                "The URLs of the frames after this picture, as for a source. Each picture gets this picture's size; an animation gives its first frame."),
            ParameterDescription("columns", .integer(1...256), "The columns of frames in this picture, instead of urls. Default: 1 with rows."),
            ParameterDescription("rows", .integer(1...256), "The rows of frames in this picture, instead of urls. Default: 1 with columns."),
            ParameterDescription("count", .integer(1...65536), "The number of frames in the sheet, row by row from the upper left one. Default: all."),
            ParameterDescription(
                "delay", .union([delay, .array(of: delay, count: 1...256)]), default: JSON(usualDelay),
                "Milliseconds for a frame: one number, or one for each frame. GIF counts in hundredths of a second."),
            ParameterDescription("loop", .integer(0...65535), default: 0, "How often the animation plays; 0: for ever."),
            ParameterDescription(
                "fit", .choice(fits.map(\.rawValue)), default: "contain",
                "How another picture gets the size. contain: whole, on a background; cover: cut; fill: stretched."),
            ParameterDescription("background", Color.parameter, default: "transparent", "The color where contain leaves the frame free."),
        ])

    package init(_ json: JSON, at path: String) throws(TintypeError) {
        var layers: [Layer] = []
        for url in json["urls"]?.array ?? [] { if let layer = try Layer(url) { layers.append(layer) } }
        self.layers = layers
        sheet = try Self.sheet(json, at: path)
        if (sheet == nil) == layers.isEmpty {
            throw .invalidParams(path: path + ".urls", value: json["urls"], expected: "either urls, or the columns and rows of a sheet")
        }
        let frames = sheet?.count ?? layers.count + 1
        delays = json["delay"]?.array?.compactMap(\.int) ?? [json["delay"]?.int ?? Self.usualDelay]
        if json["delay"]?.array != nil, delays.count != frames {
            throw .invalidParams(path: path + ".delay", value: json["delay"], expected: "one number, or \(frames): one for each frame")
        }
        if Set(delays).count == 1 { delays = [delays[0]] }
        loop = json["loop"]?.int ?? 0
        fit = json["fit"]?.string.flatMap { Resize.Fit(rawValue: $0) } ?? .contain
        background = Color(json["background"]) ?? .transparent
    }

    private static func sheet(_ json: JSON, at path: String) throws(TintypeError) -> Sheet? {
        let (columns, rows, count) = (json["columns"]?.int, json["rows"]?.int, json["count"]?.int)
        guard columns != nil || rows != nil else {
            if count != nil { throw .invalidParams(path: path + ".count", value: json["count"], expected: "columns and rows of a sheet beside the count") }
            return nil
        }
        let all = (columns ?? 1) * (rows ?? 1)
        if let count, count > all {
            throw .invalidParams(path: path + ".count", value: json["count"], expected: "at most \(all), the number of frames in the sheet")
        }
        return Sheet(columns: columns ?? 1, rows: rows ?? 1, count: count ?? all)
    }

    /// The number of frames that the operation makes.
    package var count: Int { sheet?.count ?? layers.count + 1 }

    /// Returns the time of a frame, in milliseconds.
    package func delay(of frame: Int) -> Int { delays.indices.contains(frame) ? delays[frame] : delays[0] }

    package var canonical: JSON? { canonical(isRepeated: false) }

    package func canonical(isRepeated: Bool) -> JSON? {
        var object: JSONObject = ["op": "animate"]
        if let sheet {
            object["columns"] = JSON(sheet.columns)
            object["rows"] = JSON(sheet.rows)
            if sheet.count != sheet.columns * sheet.rows { object["count"] = JSON(sheet.count) }
        } else {
            object["urls"] = .array(layers.map(\.canonical))
            if fit != .contain { object["fit"] = .string(fit.rawValue) }
            if fit == .contain, background.alpha > 0 { object["background"] = .string(background.canonical) }
        }
        // A single frame has no time, unless a later operation repeats it.
        guard count > 1 || isRepeated else { return .object(object) }
        if delays.count > 1 { object["delay"] = .array(delays.map { JSON($0) }) } else if delays[0] != Self.usualDelay { object["delay"] = JSON(delays[0]) }
        if loop != 0 { object["loop"] = JSON(loop) }
        return .object(object)
    }
}
