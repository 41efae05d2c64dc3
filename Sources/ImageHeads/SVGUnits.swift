import TintypeImages

/// The physical lengths inside an SVG, such as `stroke-width="1mm"`. Pure.
///
/// librsvg is called with 72 pixels to an inch, and its `medium` font has 12 pixels. In CSS an inch has 96 pixels, and `medium` is 16 pixels in browsers (CSS Values 3,
/// 6.2; CSS Fonts 4, 2.5). Absolute units have fixed ratios, so pixels can stand for them anywhere.
package enum SVGUnits {
    /// The most changes. A drawing with more is drawn as it is.
    private static let most = 1 << 18

    /// The attributes that are lengths, or lists of lengths.
    private static let lengths: Set<String> = [
        "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "fx", "fy", "fr", "r", "rx", "ry", "width", "height", "dx", "dy", "markerWidth", "markerHeight", "refX",
        "refY", "startOffset", "textLength", "stroke-width", "stroke-dasharray", "stroke-dashoffset", "font-size", "letter-spacing", "word-spacing",
        "baseline-shift",
    ]

    /// Returns the changes that put pixels in place of physical units, and name the size of the font. They are in the order of their places.
    /// The size of the drawing stays: `SVGSize` has it.
    package static func changes(of file: UnsafeRawBufferPointer) -> [(place: Range<Int>, instead: [UInt8])] {
        let text = MarkupText(file, length: file.count)
        guard let root = SVGSize.root(text) else { return [] }
        var changes: [(place: Range<Int>, text: String)] = []
        var (at, name): (Int, String?) = (root, "svg")
        var hasSize = false
        while let element = name, changes.count <= most {
            let isRoot = at == root
            let end = text.attributes(from: at) { attribute, value in
                if isRoot, attribute == "font-size" { hasSize = true }
                guard attribute == "style" || lengths.contains(attribute), !isRoot || attribute != "width" && attribute != "height" else { return }
                add(value, text, to: &changes)
            }
            guard let end else { return [] }
            at = end
            let kind = element.split(separator: ":").last ?? ""
            name = nil
            let content = at
            while let character = text[at] {
                if character == 0x3c {
                    if text.has("<!--", at: at) {
                        at = text.end(of: "-->", from: at + 4) ?? text.count
                        continue
                    }
                    if text[at + 1] != 0x2f, text[at + 1] != 0x21, text[at + 1] != 0x3f {
                        if kind == "style" { add(content..<at, text, to: &changes) }
                        let next = text.name(at + 1)
                        (name, at) = (next, at + 1 + next.utf8.count)
                        break
                    }
                }
                at += 1
            }
            if name == nil, kind == "style" { add(content..<at, text, to: &changes) }
        }
        guard changes.count <= most else { return [] }
        if !hasSize { changes.insert((root..<root, " font-size=\"16\""), at: 0) }
        return changes.map { (text.byte(of: $0.place.lowerBound)..<text.byte(of: $0.place.upperBound), text.encoded($0.text)) }
    }

    /// Adds the changes within the value of an attribute or a style sheet. Words between quotes are names.
    private static func add(_ place: Range<Int>, _ text: MarkupText, to changes: inout [(place: Range<Int>, text: String)]) {
        var at = place.lowerBound
        var before: UInt8 = 0x20
        func isLetter(_ character: UInt8?) -> Bool { character.map { (0x41...0x5a).contains($0 & 0xdf) } ?? false }
        func isDigit(_ character: UInt8?) -> Bool { character.map { (0x30...0x39).contains($0) } ?? false }
        func isWord(_ character: UInt8?) -> Bool { isLetter(character) || isDigit(character) || [0x23, 0x2d, 0x2e, 0x5f, 0x80].contains(character ?? 0x20) }
        while at < place.upperBound, changes.count <= most {
            let start = at
            let character = text[at] ?? 0x20
            if character == 0x22 || character == 0x27 {
                repeat { at += 1 } while at < place.upperBound && text[at] != character
                at += 1
            } else if isDigit(character) || character == 0x2e && isDigit(text[at + 1]) {
                while isDigit(text[at]) || text[at] == 0x2e { at += 1 }
                if (text[at] ?? 0) & 0xdf == 0x45, isDigit(text[at + 1]) || [0x2b, 0x2d].contains(text[at + 1] ?? 0) && isDigit(text[at + 2]) {
                    at += 2
                    while isDigit(text[at]) { at += 1 }
                }
                let number = start..<at
                while isLetter(text[at]) { at += 1 }
                let unit = text.string(number.upperBound..<at).lowercased()
                if at <= place.upperBound, number.count < 32, !isWord(text[at]), !isWord(before) || before == 0x2e, let pixels = SVGSize.absolute[unit],
                    let amount = Double(text.string(number)), amount.isFinite
                {
                    changes.append((start..<at, "\(min(amount * pixels, 1e9))px"))
                }
            } else if isWord(character) {
                // A sign belongs to its number, and a word to itself.
                let isSign = character == 0x2d && !isWord(text[at - 1]) && (isDigit(text[at + 1]) || text[at + 1] == 0x2e)
                if isSign { at += 1 } else { while at < place.upperBound, isWord(text[at]) { at += 1 } }
                before = isSign ? 0x20 : character
                continue
            } else {
                at += 1
            }
            before = 0x20
        }
    }
}
