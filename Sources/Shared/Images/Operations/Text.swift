package import TintypeCore

/// Draws text over the picture: captions, watermarks, prices.
package struct Text: ImageOperation {
    package enum Align: String, Sendable, CaseIterable, Hashable { case left, center, right }

    /// Without carriage returns.
    package var text: String
    /// A family of `--fonts`, in small letters.
    package var font: String
    /// Of an em, in pixels.
    package var size: Double
    package var isBold: Bool
    package var isItalic: Bool
    package var color: Color
    package var gravity: Gravity
    /// Inwards from the edge it lies at; from the middle, or a point, to the right and down.
    package var x: Int
    package var y: Int
    package var opacity: Double
    /// Where lines are broken: to 1 a share of the picture's width, above that pixels; nil: only where the text says so.
    package var width: Double?
    package var align: Align
    /// Pixels between lines besides what the font asks for.
    package var spacing: Int
    /// Of a box behind it.
    package var background: Color?
    package var padding: Int
    /// Clockwise, from 0 to less than 360.
    package var angle: Double
    package var isTiled: Bool

    /// Characters it may have, as Unicode counts them.
    package static let most = 1000
    /// Always understood: where it is none of `--fonts`, the first of them.
    package static let usualFont = "sans"

    package static let description = OperationDescription(
        name: "text",
        summary: "Draws text over the picture, which keeps its size: what would lie outside is cut off. The text is plain, never markup.",
        parameters: [
            ParameterDescription(
                "text", .pattern(expectation: "1 to \(most) characters, with no control characters but line breaks and tabs") { isText($0) }, required: true,
                "What is drawn, with the line breaks that stand in it."),
            ParameterDescription(
                "font", .pattern(expectation: "the name of a font: 1 to 100 bytes") { (1...100).contains($0.utf8.count) }, default: .string(usualFont),
                "Its family: one of those that `formats.list` names, in capitals or not. What it has no letters for is taken from the others."),
            ParameterDescription("size", .number(4...1000), default: 32, "Of the font (an em), in pixels."),
            ParameterDescription("bold", .boolean, default: false, "Whether it is bold."),
            ParameterDescription("italic", .boolean, default: false, "Whether it leans."),
            ParameterDescription("color", Color.parameter, default: "black", "Of the letters. Emoji have colours of their own."),
            ParameterDescription(
                "gravity", Gravity.place,
                "Where it lies: one of nine places, or a point in fractions for its middle. Default center or, with x or y, topLeft."),
            ParameterDescription("x", .integer(-16384...16384), default: 0, "Pixels inwards from the edge it lies at; from a middle or a point to the right."),
            ParameterDescription("y", .integer(-16384...16384), default: 0, "Pixels inwards from the edge it lies at; from a middle or a point downwards."),
            ParameterDescription("opacity", .number(0...1), default: 1, "How much of it, with its background, is seen."),
            ParameterDescription(
                "width", .number(0.01...16384),
                "Breaks lines that would be longer: up to 1 a share of the picture's width, above that pixels. Default: no line is broken."),
            ParameterDescription(
                "align", .choice(Align.allCases.map(\.rawValue)), default: "left",
                "Of shorter lines beside longer ones; what is written from the right mirrors it."),
            ParameterDescription("spacing", .integer(0...1000), default: 0, "Pixels between lines, besides what the font asks for."),
            ParameterDescription("background", Color.parameter, "Of a box behind it. Default: none."),
            ParameterDescription("padding", .integer(0...1000), default: 0, "Pixels that the background is larger on each side."),
            ParameterDescription("angle", .number(-3600...3600), default: 0, "Degrees by which it is turned clockwise, with its background."),
            ParameterDescription("tile", .boolean, default: false, "Whether it is repeated over the whole picture, its padding apart."),
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
        spacing = json["spacing"]?.int ?? 0
        background = Color(json["background"])
        padding = json["padding"]?.int ?? 0
        angle = Rotate.normal(json["angle"]?.double ?? 0)
        isTiled = json["tile"]?.bool ?? false
    }

    package var canonical: JSON? {
        guard opacity > 0 else { return nil }
        var object: JSONObject = ["op": "text", "text": .string(text), "gravity": gravity.json]
        if font != Self.usualFont { object["font"] = .string(font) }
        if size != 32 { object["size"] = JSON(size) }
        if isBold { object["bold"] = true }
        if isItalic { object["italic"] = true }
        object["color"] = .string(color.canonical)
        if x != 0 { object["x"] = JSON(x) }
        if y != 0 { object["y"] = JSON(y) }
        if opacity != 1 { object["opacity"] = JSON(opacity) }
        object["width"] = width.map { JSON($0) }
        if align != .left { object["align"] = .string(align.rawValue) }
        if spacing != 0 { object["spacing"] = JSON(spacing) }
        if let background, background.alpha > 0 { object["background"] = .string(background.canonical) }
        // It keeps tiles apart even where no box is seen.
        if padding != 0, object["background"] != nil || isTiled { object["padding"] = JSON(padding) }
        if angle != 0 { object["angle"] = JSON(angle) }
        if isTiled { object["tile"] = true }
        return .object(object)
    }

    /// By Unicode's own characters: of accents alone any number would make one that a person sees.
    private static func isText(_ text: String) -> Bool {
        (1...most).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.properties.generalCategory != .control || scalar == "\n" || scalar == "\t" || scalar == "\r"
            }
    }
}
