import ImageHeads
import TintypeCore
import TintypeImages

/// A text as a picture of its own, no larger than its letters and their requested padding. Drawn by Pango through libvips.
struct TextDrawing {
    let text: Text

    /// The most pixels of a text.
    private static let maxPixels = 16_000_000
    /// The longest side that cairo supports.
    private static let maxSide = 32767
    /// The size of the letters that are drawn to estimate the size of a text.
    private static let small = 8.0

    /// - Parameters:
    ///   - whole: the size of the picture that the text is for.
    ///   - transform: runs the work of libvips.
    /// - Returns: a picture in memory; nil if nothing is visible.
    /// - Throws: `unsupportedFormat` if the font is not installed, `limitExceeded` if the text would be too large.
    func image(
        for whole: PictureSize, _ transform: (() throws(VipsError) -> VipsImage) throws(PictureFailure) -> VipsImage
    ) throws(PictureFailure) -> VipsImage? {
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
        do throws(PictureFailure) {
            drawn = try transform { () throws(VipsError) in try letters(family, size: text.size, width: width) }
        } catch {
            // Small letters are placed at whole pixels, so the estimate is rough. cairo itself refuses a text that is slightly too long.
            throw isPerhapsTooLong && error.reason == .transformFailed ? Self.tooLong : error
        }
        let padding = isBoxed ? 2 * text.padding : 0
        let box = PictureSize(drawn.width + padding, drawn.height + padding)
        try check(box)
        // A long rotated line needs a large canvas.
        if text.angle != 0 { try check(Turn(text.angle).box(of: box)) }
        return try transform { () throws(VipsError) in try turned(boxed(coloured(drawn))).computed() }
    }

    /// Returns the place of the text's upper left corner.
    func place(of layer: PictureSize, in whole: PictureSize) -> (x: Int, y: Int) {
        let at = text.gravity.place(of: layer, in: whole)
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

    private func letters(_ family: String, size: Double, width: Double?) throws(VipsError) -> VipsImage {
        let style = FontStyle(isBold: text.isBold, isItalic: text.isItalic)
        let spacing = Int((Double(text.spacing) * size / text.size).rounded())
        let markup = "<span foreground=\"\(text.color.text)\">\(Self.escaped(text.text))</span>"
        var call = try style.text(markup, family: family, size: size).set("align", text.align.number).set("spacing", spacing)
        if let width { call = call.set("width", Int(width.rounded())).set("wrap", Self.wordsThenLetters) }
        return try call.image()
    }

    private static let wordsThenLetters = 2

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private func coloured(_ letters: VipsImage) throws(VipsError) -> VipsImage {
        guard !text.color.isOpaque else { return letters }
        let shares = [1, 1, 1, Double(text.color.alpha) / 255]
        return try ColourBands(VipsOperation("linear").set("in", letters).set("a", shares).set("b", [0]).set("uchar", true).image()).joinedAgain()
    }

    private func boxed(_ letters: VipsImage) throws(VipsError) -> VipsImage {
        guard isBoxed else { return letters }
        let size = PictureSize(letters.width + 2 * text.padding, letters.height + 2 * text.padding)
        let box = try CanvasStep(size: size, x: text.padding, y: text.padding, background: .transparent).apply(to: letters)
        guard let background = text.background, background.alpha > 0 else { return box }
        return try Background(background).apply(to: box)
    }

    private func turned(_ box: VipsImage) throws(VipsError) -> VipsImage {
        guard text.angle != 0 else { return box }
        let inMemory = try box.computed()
        let size = Turn(text.angle).box(of: PictureSize(box.width, box.height))
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
