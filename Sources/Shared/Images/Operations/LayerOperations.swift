package import TintypeCore

/// Another picture that an operation needs: as an overlay or as a mask. Its EXIF orientation is applied, and only its first frame is used.
package struct Layer: Sendable, Hashable {
    package internal(set) var source: Source

    /// The most pictures that one rendition may need.
    package static let most = 8
    static let type = ParameterType.string(maxLength: WebAddress.mostBytes)

    static func parameter(named name: String = "url", required: Bool = false, _ summary: String) -> ParameterDescription {
        ParameterDescription(name, type, required: required, summary)
    }

    /// Reads a URL or the JSON from `canonical`; nil for nothing.
    /// - Throws: `invalidURL`, `denied`; `invalidParams` for anything else.
    init?(_ json: JSON?) throws(TintypeError) {
        switch json {
        case .string(let url): source = try Source(urls: [url], fetch: FetchOptions())
        case .object(let object): source = try Source(canonical: .object(object))
        case .null, .bool, .int, .double, .array, .raw, nil: return nil
        }
    }

    /// The URL, with the options that rules of the operator add.
    var canonical: JSON {
        let whole = source.canonical
        return whole.object?.count == 1 ? .string(source.url) : whole
    }

    /// Makes a placeholder for another picture: a number where its bytes are at hand, its digest in keys.
    init(word: String) {
        guard let source = try? Source(urls: ["data:,\(word)"], fetch: FetchOptions()) else { preconditionFailure("a word is no URL") }
        self.source = source
    }
}

/// The repetition of another picture or a text over the whole picture. A pure value.
package struct Tiling: Sendable, Hashable {
    /// The gap between two columns: below 1 a part of the picture's width, above that pixels. At least 0.
    package var x = 0.0
    /// The gap between two rows: below 1 a part of the picture's height, above that pixels. At least 0.
    package var y = 0.0

    /// As long as the longest side.
    private static let gap = ParameterType.number(0...16384)

    package static let type = ParameterType.union([
        .boolean,
        .object([
            ParameterDescription("gapX", gap, default: 0, "The gap between two columns."),
            ParameterDescription("gapY", gap, default: 0, "The gap between two rows."),
        ]),
    ])

    package init(x: Double = 0, y: Double = 0) { (self.x, self.y) = (x, y) }

    /// - Returns: nil if nothing is repeated.
    init?(_ json: JSON?) {
        guard let json, json.object != nil || json.bool == true else { return nil }
        self.init(x: json["gapX"]?.double ?? 0, y: json["gapY"]?.double ?? 0)
    }

    /// The one spelling of the value.
    package var canonical: JSON {
        guard x > 0 || y > 0 else { return true }
        var object = JSONObject()
        if x > 0 { object["gapX"] = JSON(x) }
        if y > 0 { object["gapY"] = JSON(y) }
        return .object(object)
    }
}

/// Keeps a shape of the picture and makes everything else transparent.
package struct Mask: ImageOperation {
    package enum Shape: String, Sendable, CaseIterable, Hashable { case circle, ellipse }

    /// The shape; nil if `layer` gives it.
    package var shape: Shape?
    /// Another picture that gives the opacity of each pixel.
    package var layer: Layer?

    package static let description = OperationDescription(
        name: "mask",
        summary: "Keeps a shape in the middle of the picture, or the shape that another picture gives. Everything else becomes transparent; the size stays.",
        parameters: [
            ParameterDescription(
                "shape", .choice(Shape.allCases.map(\.rawValue)), "The shape to keep. circle: as large as fits; ellipse: touches all four edges."),
            Layer.parameter(
                "The URL of another picture; for a mask, stretched over this one. Its transparency, or else its brightness, gives the shape."),
        ], main: "shape")

    package init(_ json: JSON, at path: String) throws(TintypeError) {
        shape = json["shape"]?.string.flatMap { Shape(rawValue: $0) }
        layer = try Layer(json["url"])
        if (shape == nil) == (layer == nil) {
            throw .invalidParams(path: path + ".shape", value: json["shape"], expected: "either a shape or a url")
        }
    }

    package var layers: [Layer] {
        get { layer.map { [$0] } ?? [] }
        set { layer = newValue.first }
    }

    package var canonical: JSON? {
        var object: JSONObject = ["op": "mask"]
        object["shape"] = shape.map { .string($0.rawValue) }
        object["url"] = layer?.canonical
        return .object(object)
    }
}

/// Lays another picture over this one: watermarks, badges, frames, patterns.
package struct Composite: ImageOperation {
    package var layer: Layer
    package var gravity: Gravity
    /// The place of the upper left corner in pixels, instead of a gravity.
    package var place: Place?
    package var blend: Blend
    package var opacity: Double
    /// nil: the overlay lies there once.
    package var tiling: Tiling?
    /// The part of the picture into which the overlay is fitted; nil: its own size.
    package var scale: Double?

    package struct Place: Sendable, Hashable {
        package var x: Int
        package var y: Int
    }

    package static let description = OperationDescription(
        name: "composite",
        summary: "Lays another picture over this one. The size stays; parts outside are cut off.",
        parameters: [
            Layer.parameter(required: true, "The URL of the other picture, as for a source."),
            ParameterDescription(
                "gravity", Gravity.place, default: "center",
                "The place of the overlay: one of nine places, or a point in fractions for its middle."),
            ParameterDescription("x", .integer(-16384...16384), "Pixels between the left edges, instead of gravity."),
            ParameterDescription("y", .integer(-16384...16384), "Pixels between the upper edges, instead of gravity."),
            ParameterDescription("blend", .choice(Blend.names), default: "normal", "How the colors mix with those of the picture."),
            ParameterDescription("opacity", .number(0...1), default: 1, "0 is invisible, 1 opaque."),
            ParameterDescription("tile", Tiling.type, default: false, "Whether to repeat over the whole picture."),
            ParameterDescription("scale", .number(0.01...1), "The part of the picture's width and height to fit into. Default: its own size."),
        ], main: "url")

    package init(_ json: JSON, at path: String) throws(TintypeError) {
        guard let layer = try Layer(json["url"]) else { throw .invalidParams(path: path + ".url", value: json["url"], expected: "a URL") }
        self.layer = layer
        gravity = Gravity(json["gravity"]) ?? .center
        let (x, y) = (json["x"]?.int, json["y"]?.int)
        place = x == nil && y == nil ? nil : Place(x: x ?? 0, y: y ?? 0)
        if place != nil, json["gravity"].map({ !$0.isNull }) ?? false {
            throw .invalidParams(path: path + ".gravity", value: json["gravity"], expected: "either x and y or a gravity")
        }
        blend = Blend(json["blend"]) ?? .normal
        opacity = json["opacity"]?.double ?? 1
        tiling = Tiling(json["tile"])
        scale = json["scale"]?.double
    }

    package var layers: [Layer] {
        get { [layer] }
        set { if let first = newValue.first { layer = first } }
    }

    package var canonical: JSON? {
        guard opacity > 0 else { return nil }
        var object: JSONObject = ["op": "composite", "url": layer.canonical]
        if place == Place(x: 0, y: 0) {
            object["gravity"] = Gravity.topLeft.json
        } else if let place {
            object["x"] = JSON(place.x)
            object["y"] = JSON(place.y)
        } else if gravity != .center {
            object["gravity"] = gravity.json
        }
        if blend != .normal { object["blend"] = .string(blend.rawValue) }
        if opacity != 1 { object["opacity"] = JSON(opacity) }
        object["tile"] = tiling?.canonical
        object["scale"] = scale.map { JSON($0) }
        return .object(object)
    }
}
