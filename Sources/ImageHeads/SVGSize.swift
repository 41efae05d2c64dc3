import TintypeImages

/// The size that an SVG states in its first element. Pure.
///
/// libvips calls librsvg with 72 pixels to an inch. It makes a drawing without a size as large as the content, and draws the content at its old place.
/// In CSS an inch has 96 pixels (CSS Values 3, 6.2). A side that nothing tells has 300 or 150 pixels (CSS Images 3, 5.1).
package enum SVGSize {
    /// Returns the changes that give a drawing the size that it has in a browser, in pixels. They are in the order of their places.
    /// - Returns: nothing if librsvg has the same size: in pixels already, or by a `viewBox`.
    package static func changes(of file: UnsafeRawBufferPointer) -> [(place: Range<Int>, instead: [UInt8])] {
        let text = MarkupText(file)
        guard let element = root(text), let attributes = attributes(text, element) else { return [] }
        let hasBox = attributes["viewBox"].flatMap { box($0.value) } ?? false
        var changes: [(place: Range<Int>, text: String)] = []
        for (name, usual) in [("width", "300"), ("height", "150")] {
            let attribute = attributes[name]
            switch attribute.map({ length($0.value) }) ?? .auto {
            case .pixels: break
            case .other(let pixels): if let attribute { changes.append((attribute.place, "\(pixels)")) }
            case .auto where hasBox: break
            case .auto: changes.append(attribute.map { ($0.place, usual) } ?? (element..<element, " \(name)=\"\(usual)\""))
            case .unknown: return []
            }
        }
        return changes.sorted { $0.place.lowerBound < $1.place.lowerBound }.map { change in
            (text.byte(of: change.place.lowerBound)..<text.byte(of: change.place.upperBound), text.encoded(change.text))
        }
    }

    /// Returns the place behind the name of the first element, if the element is a drawing.
    static func root(_ text: MarkupText) -> Int? {
        var place: Int?
        while let part = text.part(&place) {
            if case .element(let name, let end) = part { return name == "svg" || name.hasSuffix(":svg") ? end : nil }
        }
        return nil
    }

    /// Returns the attributes of an element that tell its size, with the places of their values.
    /// - Returns: nil if the element has no end, or if an attribute is not one that XML allows.
    private static func attributes(_ text: MarkupText, _ start: Int) -> [String: (value: String, place: Range<Int>)]? {
        var found: [String: (value: String, place: Range<Int>)] = [:]
        let end = text.attributes(from: start) { name, value in
            if ["width", "height", "viewBox"].contains(name) { found[name] = (text.string(value), value) }
        }
        return end == nil ? nil : found
    }

    /// Whether the value of a `viewBox` has an area.
    private static func box(_ value: String) -> Bool {
        let numbers = value.split { $0 == "," || $0.isWhitespace }.map { Double($0) ?? .nan }
        return numbers.count == 4 && numbers.allSatisfy(\.isFinite) && numbers[2] > 0 && numbers[3] > 0
    }

    private enum Length {
        case pixels
        /// A length in another unit, converted to pixels.
        case other(Double)
        /// None, a share of a page that is not there, or none that CSS knows.
        case auto
        /// A reference that only a parser of XML resolves.
        case unknown
    }

    private static func length(_ value: String) -> Length {
        if value.contains("&") { return .unknown }
        let value = value.lowercased().trimmingPrefix { $0.isWhitespace }
        // An "e" is an exponent only before a number.
        let digits = value.prefix { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }
        var number = digits
        let rest = value[digits.endIndex...]
        if rest.first == "e" {
            let power = rest.dropFirst().prefix { $0.isASCII && ($0.isNumber || "+-".contains($0)) }
            if !power.isEmpty { number = value[..<power.endIndex] }
        }
        let unit = String(value[number.endIndex...].prefix { !$0.isWhitespace })
        guard let amount = Double(number), amount.isFinite, amount >= 0, let pixels = units[unit] else { return .auto }
        return pixels == 1 ? .pixels : .other(min(amount * pixels, 1e9))
    }

    /// The pixels of an absolute unit of CSS.
    static let absolute: [String: Double] = ["in": 96, "cm": 96 / 2.54, "mm": 9.6 / 2.54, "q": 2.4 / 2.54, "pt": 96 / 72.0, "pc": 16]
    /// The pixels of any unit that has some without a page. A font is 16 pixels high, and its `x` about half of that.
    private static let units = absolute.merging(["": 1, "px": 1, "em": 16, "rem": 16, "ex": 8, "ch": 8]) { $1 }
}
