package import TintypeCore

/// The places of a picture whose colors are requested, as SDWebImage's `colorAtPoint` and `colorsWithRect` do. A pure value.
package struct ColorSamples: Sendable, Hashable {
    package struct Point: Sendable, Hashable {
        package let x, y: Int
    }

    package struct Rectangle: Sendable, Hashable {
        package let x, y, width, height: Int

        /// The pixels of the rectangle, row by row.
        package var points: [Point] { (y..<y + height).flatMap { row in (x..<x + width).map { Point(x: $0, y: row) } } }
    }

    package let points: [Point]
    package let rectangles: [Rectangle]

    /// The most points, and the most pixels of all rectangles together.
    private static let most = 256
    private static let farthest = 1_000_000

    package static let parameter = ParameterDescription(
        "samples",
        .object([
            ParameterDescription(
                "points", .array(of: .array(of: .integer(0...farthest), count: 2...2), count: 1...most), "Single pixels: `[x, y]` from the upper left corner."),
            ParameterDescription(
                "rects",
                .array(
                    of: .object([
                        ParameterDescription("x", .integer(0...farthest), required: true, "Pixels from the left edge."),
                        ParameterDescription("y", .integer(0...farthest), required: true, "Pixels from the upper edge."),
                        ParameterDescription("width", .integer(1...most), required: true, "The width in pixels."),
                        ParameterDescription("height", .integer(1...most), required: true, "The height in pixels."),
                    ]), count: 1...16), "Rectangles of at most \(most) pixels together."),
        ]),
        "The pixels of the upright picture, in its own size, whose colors are in the result's `description.colors`: `{points, rects}`. A color is `#rrggbb`, "
            + "`#rrggbbaa` if transparent, or null outside the picture. Rectangles come row by row.")

    /// Reads validated JSON; nil for nothing.
    /// - Throws: `invalidParams` for rectangles with too many pixels together.
    init?(_ json: JSON?) throws(TintypeError) {
        guard let json, !json.isNull else { return nil }
        points = (json["points"]?.array ?? []).compactMap { pair in
            guard let x = pair[0]?.int, let y = pair[1]?.int else { return nil }
            return Point(x: x, y: y)
        }
        rectangles = (json["rects"]?.array ?? []).compactMap { one in
            guard let x = one["x"]?.int, let y = one["y"]?.int, let width = one["width"]?.int, let height = one["height"]?.int else { return nil }
            return Rectangle(x: x, y: y, width: width, height: height)
        }
        guard rectangles.reduce(0, { $0 + $1.width * $1.height }) <= Self.most else {
            throw .invalidParams(path: "samples.rects", value: json["rects"], expected: "rectangles with at most \(Self.most) pixels together")
        }
        if points.isEmpty, rectangles.isEmpty { return nil }
    }

    /// The part of a key for these samples; `init` reads it.
    var canonical: JSON {
        var object = JSONObject()
        if !points.isEmpty { object["points"] = .array(points.map { [JSON($0.x), JSON($0.y)] }) }
        if !rectangles.isEmpty {
            object["rects"] = .array(rectangles.map { ["x": JSON($0.x), "y": JSON($0.y), "width": JSON($0.width), "height": JSON($0.height)] as JSON })
        }
        return .object(object)
    }

    /// Returns the colors as `description.colors` has them.
    /// - Parameter color: returns the color of a pixel; nil outside the picture.
    package func described(_ color: (Point) -> Color?) -> JSON {
        func text(_ point: Point) -> JSON { color(point).map { .string($0.alpha == 255 ? $0.text : $0.canonical) } ?? .null }
        var object = JSONObject()
        if !points.isEmpty { object["points"] = .array(points.map(text)) }
        if !rectangles.isEmpty { object["rects"] = .array(rectangles.map { .array($0.points.map(text)) }) }
        return .object(object)
    }
}
