package import TintypeCore

/// Draws text over the picture: captions, watermarks, prices.
package struct Text: ImageOperation {
    package enum Align: String, Sendable, CaseIterable, Hashable { case left, center, right }

    /// The height of a text that is placed, turned and given a background.
    package enum VerticalAlign: String, Sendable, CaseIterable, Hashable {
        /// From the ascent to the descent of the font, so that texts of one size share a baseline.
        case line
        /// From the highest to the lowest of the letters.
        case ink
    }

    /// The text without carriage returns.
    package var text: String
    /// A family of `--fonts`, in lowercase.
    package var font: String
    /// The size of an em, in pixels.
    package var size: Double
    package var isBold: Bool
    package var isItalic: Bool
    package var color: Color
    package var gravity: Gravity
    /// Pixels inwards from the edge; from the middle or a point, to the right and down.
    package var x: Int
    package var y: Int
    package var opacity: Double
    /// The width at which lines break: up to 1 a part of the picture's width, above that pixels. If it is nil, lines break only where the text says so.
    package var width: Double?
    package var align: Align
    package var valign: VerticalAlign
    /// The pixels between lines, beside those of the font.
    package var spacing: Int
    /// The color of a box behind the text.
    package var background: Color?
    package var padding: Int
    /// Clockwise, from 0 to less than 360.
    package var angle: Double
    /// nil: the text is there once.
    package var tiling: Tiling?

    /// The most characters, as Unicode counts them.
    package static let most = 1000
    /// The default font. If it is not among `--fonts`, the first font replaces it.
    package static let usualFont = "sans"
    /// The font families without `--fonts`.
    package static let usualFonts = [usualFont, "serif", "monospace"]

    package static let description = OperationDescription(
        name: "text",
        summary: "Draws text over the picture. The size stays; parts outside are cut off. The text is plain, never markup.",
        parameters: [
            ParameterDescription(
                "text", .pattern(expectation: "1 to \(most) characters, without control characters except line breaks and tabs") { isText($0) }, required: true,
                "The text to draw."),
            ParameterDescription(
                "font", .pattern(expectation: "the name of a font: 1 to 100 bytes") { (1...100).contains($0.utf8.count) }, default: .string(usualFont),
                "The font family: one that `formats.list` names, in any case. Missing letters come from the other fonts."),
            ParameterDescription("size", .number(4...1000), default: 32, "The size of an em, in pixels."),
            ParameterDescription("bold", .boolean, default: false, "Bold letters."),
            ParameterDescription("italic", .boolean, default: false, "Italic letters."),
            ParameterDescription("color", Color.parameter, default: "black", "The color of the letters. Emoji have colors of their own."),
            ParameterDescription(
                "gravity", Gravity.place,
                "The place: one of nine, or a point in fractions for the middle. Default: center; with x or y, topLeft."),
            ParameterDescription("x", .integer(-16384...16384), default: 0, "Pixels inwards from the edge; from a middle or a point, to the right."),
            ParameterDescription("y", .integer(-16384...16384), default: 0, "The same, down."),
            ParameterDescription("opacity", .number(0...1), default: 1, "The opacity of the text and its background."),
            ParameterDescription(
                "width", .number(0.01...16384),
                "The width at which lines break: up to 1 a part of the picture's width, above that pixels. Default: lines do not break."),
            ParameterDescription(
                "align", .choice(Align.allCases.map(\.rawValue)), default: "left",
                "The alignment of lines; mirrored for text from right to left."),
            ParameterDescription(
                "valign", .choice(VerticalAlign.allCases.map(\.rawValue)), default: "line",
                "The height that is placed: `line`, of the font's lines, as in CSS; `ink`, of the letters."),
            ParameterDescription("spacing", .integer(0...1000), default: 0, "The pixels between lines, beside those of the font."),
            ParameterDescription("background", Color.parameter, "The color of a box behind the text. Default: none."),
            ParameterDescription("padding", .integer(0...1000), default: 0, "The pixels by which the background is larger on each side."),
            ParameterDescription("angle", .number(-3600...3600), default: 0, "Degrees by which text and background turn clockwise."),
            ParameterDescription("tile", Tiling.type, default: false, "Whether to repeat the text over the whole picture, `padding` apart."),
        ], main: "text")

    package init(_ json: JSON, at _: String) {
        text = (json["text"]?.string ?? "").replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        font = (json["font"]?.string ?? Self.usualFont).lowercased()
        size = json["size"]?.double ?? 32
        isBold = json["bold"]?.bool ?? false
        isItalic = json["italic"]?.bool ?? false
        color = Color(json["color"]) ?? Color(red: 0, green: 0, blue: 0)
        (x, y) = (json["x"]?.int ?? 0, json["y"]?.int ?? 0)
        gravity = Gravity(json["gravity"]) ?? (json["x"]?.int == nil && json["y"]?.int == nil ? .center : .topLeft)
        opacity = json["opacity"]?.double ?? 1
        width = json["width"]?.double
        align = json["align"]?.string.flatMap { Align(rawValue: $0) } ?? .left
        valign = json["valign"]?.string.flatMap { VerticalAlign(rawValue: $0) } ?? .line
        spacing = json["spacing"]?.int ?? 0
        background = Color(json["background"])
        padding = json["padding"]?.int ?? 0
        angle = Rotate.normal(json["angle"]?.double ?? 0)
        tiling = Tiling(json["tile"])
    }

    package var canonical: JSON? {
        guard opacity > 0 else { return nil }
        let box = background.flatMap { $0.alpha > 0 ? $0 : nil }
        // The padding separates tiles even without a visible box.
        let isPadded = padding != 0 && (box != nil || tiling != nil)
        return .object(
            JSONObject(present: [
                "op": "text", "text": .string(text), "gravity": gravity.json, "font": .when(font != Self.usualFont, .string(font)),
                "size": .when(size != 32, JSON(size)), "bold": .when(isBold, true), "italic": .when(isItalic, true), "color": .string(color.canonical),
                "x": .when(x != 0, JSON(x)), "y": .when(y != 0, JSON(y)), "opacity": .when(opacity != 1, JSON(opacity)), "width": width.map { JSON($0) },
                "align": .when(align != .left, .string(align.rawValue)), "valign": .when(valign != .line, .string(valign.rawValue)),
                "spacing": .when(spacing != 0, JSON(spacing)), "background": box.map { .string($0.canonical) },
                "padding": .when(isPadded, JSON(padding)), "angle": .when(angle != 0, JSON(angle)), "tile": tiling?.canonical,
            ]))
    }

    /// Whether a text has only allowed characters, as Unicode counts them: a person sees any number of accents as one character.
    private static func isText(_ text: String) -> Bool {
        (1...most).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.properties.generalCategory != .control || scalar == "\n" || scalar == "\t" || scalar == "\r"
            }
    }
}
