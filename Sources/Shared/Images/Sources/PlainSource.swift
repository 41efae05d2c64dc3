import TintypeCore

/// A source of one color, from a `color:` URL: `color:tomato,300x200`, `color:ff634780,1x1`. Pure.
///
/// YYImage's `imageWithColor:size:` does the same. A picture of one color is a canvas for other pictures.
package struct PlainSource: Sendable, Hashable {
    package let color: Color
    package let width, height: Int

    /// The longest side, in pixels.
    package static let maxSide = 8192
    static let form = "the form is color:COLOR,WIDTHxHEIGHT, with a CSS name or rrggbb[aa], and sides of 1 to \(maxSide) pixels"

    /// - Parameter url: the URL with its scheme.
    /// - Returns: nil for a URL without a color or size.
    init?(_ url: String) {
        let parts = url.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst().split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard parts.count == 2, let color = Self.color(String(Substring(parts[0]))) else { return nil }
        let sides = parts[1].split(separator: UInt8(ascii: "x"), omittingEmptySubsequences: false).map { Self.side(String(Substring($0))) }
        guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
        (self.color, self.width, self.height) = (color, width, height)
    }

    private static func color(_ text: String) -> Color? { Color(text) ?? Color("#" + text) }

    private static func side(_ text: String) -> Int? {
        guard text.isDigits(1...5) else { return nil }
        return Int(text).flatMap { (1...maxSide).contains($0) ? $0 : nil }
    }

    /// The canonical form for keys.
    var normalized: String { "color:\(color.canonical.dropFirst()),\(width)x\(height)" }
}
