package import TintypeCore
import TintypeTransport

/// Makes an animation: of several pictures, or of the frames that lie beside each other in one.
package struct Animate: ImageOperation {
    /// Frames in rows of one picture, all of one size.
    package struct Sheet: Sendable, Hashable {
        package var columns: Int
        package var rows: Int
        /// Of the frames, from the upper left one on, row by row.
        package var count: Int
    }

    /// nil where the frames are pictures of their own.
    package var sheet: Sheet?
    /// The pictures after the first, which is the one in work.
    package var layers: [Layer]
    /// Milliseconds: one number for all frames, or one for each.
    package var delays: [Int]
    /// How often it is played; 0: for ever.
    package var loop: Int
    package var fit: Resize.Fit
    package var background: Color

    /// Pictures that one animation may need besides the source.
    package static let mostPictures = 31
    private static let usualDelay = 100
    private static let delay = ParameterType.integer(20...655_350)
    private static let fits = [Resize.Fit.contain, .cover, .fill]

    package static let description = OperationDescription(
        name: "animate",
        summary: "Makes an animation of this picture and others, or of the frames in this one, a sprite sheet. What follows is done to each frame, what "
            + "comes before to this picture alone. A format that cannot move gets the first frame; where none is named, it becomes WebP.",
        parameters: [
            ParameterDescription(
                "urls", .array(of: Layer.type, count: 1...mostPictures),
                "Of the frames after this picture, which is the first one: http, https, data or file, each of at most \(WebAddress.mostBytes) bytes. Each is brought to this picture's size; of one that "
                    + "moves the first frame is taken."),
            ParameterDescription("columns", .integer(1...256), "Instead of urls: frames beside each other in this picture. Default 1 where rows is given."),
            ParameterDescription("rows", .integer(1...256), "Frames below each other in it. Default 1 where columns is given."),
            ParameterDescription("count", .integer(1...65536), "How many of them, from the upper left one on, row by row. Default: all."),
            ParameterDescription(
                "delay", .union([delay, .array(of: delay, count: 1...256)]), default: JSON(usualDelay),
                "Milliseconds that a frame is shown: one number, or one for each frame. GIF counts in hundredths of a second."),
            ParameterDescription("loop", .integer(0...65535), default: 0, "How often it is played; 0: for ever."),
            ParameterDescription(
                "fit", .choice(fits.map(\.rawValue)), default: "contain",
                "How another picture comes to the size: contain: all of it, on a background; cover: cut; fill: stretched."),
            ParameterDescription("background", Color.parameter, default: "transparent", "What contain leaves free."),
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
            if count != nil { throw .invalidParams(path: path + ".count", value: json["count"], expected: "the columns and rows of a sheet besides") }
            return nil
        }
        let all = (columns ?? 1) * (rows ?? 1)
        if let count, count > all {
            throw .invalidParams(path: path + ".count", value: json["count"], expected: "at most \(all), which is all that the sheet has")
        }
        return Sheet(columns: columns ?? 1, rows: rows ?? 1, count: count ?? all)
    }

    /// How many frames it makes.
    package var count: Int { sheet?.count ?? layers.count + 1 }

    /// How long a frame is shown, in milliseconds.
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
        // A single frame has no time, unless it becomes several.
        guard count > 1 || isRepeated else { return .object(object) }
        if delays.count > 1 { object["delay"] = .array(delays.map { JSON($0) }) } else if delays[0] != Self.usualDelay { object["delay"] = JSON(delays[0]) }
        if loop != 0 { object["loop"] = JSON(loop) }
        return .object(object)
    }
}
