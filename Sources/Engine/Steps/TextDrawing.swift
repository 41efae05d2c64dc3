import ImageHeads
import TintypeCore
import TintypeImages

/// A text as a picture of its own. Drawn by Pango through libvips.
struct TextDrawing {
    let text: Text

    /// A drawn text, in memory.
    struct Drawn {
        let picture: VipsImage
        /// The size that is placed: that of the line boxes or the letters, with their padding. The picture has more room above and below, as much on both
        /// sides, if letters stick out of their lines.
        let size: PictureSize
    }

    /// Runs work of libvips.
    typealias Transform = (() throws(VipsError) -> VipsImage) throws(PictureFailure) -> VipsImage

    /// The most pixels of a text.
    private static let maxPixels = 16_000_000
    /// The longest side that cairo supports.
    private static let maxSide = 32767
    /// The size of the letters that are drawn to estimate the size of a text.
    private static let small = 8.0

    /// - Parameter whole: the size of the picture that the text is for.
    /// - Returns: nil if nothing is visible.
    /// - Throws: `unsupportedFormat` if the font is not installed, `limitExceeded` if the text would be too large.
    func image(for whole: PictureSize, _ transform: Transform) throws(PictureFailure) -> Drawn? {
        guard let family = Fonts.family(text.font) else { throw missing }
        let isSeen = text.text.unicodeScalars.contains { !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint }
        guard isSeen else { return nil }
        let width = text.width.map { width in max(1, width <= 1 ? width * Double(whole.width) : width) }
        var isPerhapsTooLong = false
        if text.size > Self.small {
            let scale = text.size / Self.small
            let some = try transform { () throws(VipsError) in try letters(family, size: Self.small, width: width.map { max(1, $0 / scale) }) }
            let guess = PictureSize(Int(Double(some.width) * scale), Int(Double(some.height) * scale))
            try check(guess)
            isPerhapsTooLong = max(guess.width, guess.height) > Self.maxSide / 2
        }
        let drawn: VipsImage
        let lines: (above: Int, height: Int)
        do throws(PictureFailure) {
            drawn = try transform { () throws(VipsError) in try letters(family, size: text.size, width: width) }
            lines = try text.valign == .ink ? (0, drawn.height) : self.lines(drawn, family, width, transform)
        } catch {
            // Small letters are placed at whole pixels, so the estimate is rough. cairo itself refuses a text that is slightly too long.
            throw isPerhapsTooLong && error.reason == .transformFailed ? Self.tooLong : error
        }
        let padding = isBoxed ? text.padding : 0
        let size = PictureSize(drawn.width + 2 * padding, lines.height + 2 * padding)
        let room = max(0, -lines.above - padding, lines.above + drawn.height - lines.height - padding)
        let canvas = PictureSize(size.width, size.height + 2 * room)
        try check(canvas)
        // A long rotated line needs a large canvas.
        if text.angle != 0 { try check(Turn(text.angle).box(of: canvas)) }
        let picture = try transform { () throws(VipsError) in
            try turned(boxed(colored(drawn), canvas, x: padding, y: lines.above + padding + room)).computed()
        }
        return Drawn(picture: picture, size: text.angle == 0 ? size : Turn(text.angle).box(of: size))
    }

    /// Returns the place of the drawn picture's upper left corner.
    func place(of drawn: Drawn, in whole: PictureSize) -> (x: Int, y: Int) {
        var at = text.gravity.place(of: drawn.size, in: whole)
        at.x += (drawn.size.width - drawn.picture.width) / 2
        at.y += (drawn.size.height - drawn.picture.height) / 2
        if case .point = text.gravity { return (at.x + text.x, at.y + text.y) }
        return (text.gravity.x == 1 ? at.x - text.x : at.x + text.x, text.gravity.y == 1 ? at.y - text.y : at.y + text.y)
    }

    private var missing: PictureFailure {
        let names = Fonts.names
        let advice = names.isEmpty ? "none is: install some, such as Debian's fonts-dejavu-core" : "there are \(names.joined(separator: ", "))"
        return PictureFailure(.unsupportedFormat, .transform, "the font \"\(text.font)\" is not installed where this worker runs; \(advice)")
    }

    /// The error of a text that was too long to draw. Its number of pixels is unknown.
    private static var tooLong: PictureFailure {
        PictureFailure(.limitExceeded(which: "textSide", value: nil, limit: maxSide), .transform, "textSide is over the limit of \(maxSide)")
    }

    private var isBoxed: Bool { text.background != nil || text.tiling != nil }

    private func check(_ size: PictureSize) throws(PictureFailure) {
        let side = max(size.width, size.height)
        if side > Self.maxSide { throw .limit("textSide", side, Self.maxSide, .transform) }
        let pixels = size.width * size.height
        if pixels > Self.maxPixels { throw .limit("textPixels", pixels, Self.maxPixels, .transform) }
    }

    // MARK: Drawing

    /// Draws the letters, without any room around them.
    /// - Parameter end: another line under the text.
    private func letters(_ family: String, size: Double, width: Double?, end: String = "") throws(VipsError) -> VipsImage {
        let spacing = Int((Double(text.spacing) * size / text.size).rounded())
        let mark = text.valign == .ink || width.map { $0 < 2 * size } ?? false ? "" : Self.strut
        let markup = "\(mark)<span foreground=\"\(text.color.text)\">\(Self.escaped(text.text))</span>\(mark)\(end)"
        var call = try style.text(markup, family: family, size: size).set("align", text.align.number).set("spacing", spacing)
        if let width { call = call.set("width", Int(width.rounded())).set("wrap", Self.wordsThenLetters) }
        return try call.image()
    }

    /// Returns the distance from the first line box down to the letters, negative if they begin above, and the height of all line boxes. A line box reaches
    /// from the ascent to the descent of its fonts, as in CSS. libvips tells where letters begin. Another line below the text shows where the boxes end.
    private func lines(
        _ letters: VipsImage, _ family: String, _ width: Double?, _ transform: Transform
    ) throws(PictureFailure) -> (above: Int, height: Int) {
        let sign = try transform { () throws(VipsError) in try style.text(Self.sign, family: family, size: text.size).image() }
        let longer = try transform { () throws(VipsError) in try self.letters(family, size: text.size, width: width, end: "\n" + Self.sign) }
        let height = longer.offset.y + longer.height - text.spacing - (sign.offset.y + sign.height)
        return (letters.offset.y, max(1, height))
    }

    private var style: FontStyle { FontStyle(isBold: text.isBold, isItalic: text.isItalic) }

    private static let sign = "x"

    /// A joiner without width, in the font of the text. In CSS that font's ascent and descent count in each line box, whatever fonts the letters come from
    /// (CSS 2.1, 10.8.1). A line that is too narrow for a letter would break behind the joiner, and has none.
    private static let strut = "<span fallback=\"false\">\u{2060}</span>"

    private static let wordsThenLetters = 2

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private func colored(_ letters: VipsImage) throws(VipsError) -> VipsImage {
        guard !text.color.isOpaque else { return letters }
        let shares = [1, 1, 1, Double(text.color.alpha) / 255]
        return try ColorBands(VipsOperation("linear").set("in", letters).set("a", shares).set("b", [0]).set("uchar", true).image()).joinedAgain()
    }

    private func boxed(_ letters: VipsImage, _ canvas: PictureSize, x: Int, y: Int) throws(VipsError) -> VipsImage {
        let box = try CanvasStep(size: canvas, x: x, y: y, background: .transparent).apply(to: letters)
        guard let background = text.background, background.alpha > 0 else { return box }
        return try Background(background).apply(to: box)
    }

    private func turned(_ box: VipsImage) throws(VipsError) -> VipsImage {
        guard text.angle != 0 else { return box }
        let inMemory = try box.computed()
        let size = Turn(text.angle).box(of: box.size)
        return try RotateStep(angle: text.angle, size: size, background: .transparent).apply(to: inMemory)
    }
}

extension Text.Align {
    /// libvips' own number.
    fileprivate var number: Int {
        switch self {
        case .left: 0
        case .center: 1
        case .right: 2
        }
    }
}
