import TintypeImages
import Synchronization
import TintypeCore

/// The fonts for text: those of `--fonts` that are installed. All their faces are opened before the sandbox forbids to open files. From then on
/// fontconfig knows no other fonts, so that no text in any script makes a library look for a file.
///
/// fontconfig has one configuration for the process, so these are static, like libvips.
enum Fonts {
    private static let opened = Mutex<[OpenFamily]?>(nil)

    /// The most faces that are held open. cairo closes some again if there are more than ten.
    static let maxFaces = 10

    /// Opens the installed faces of these families: regular faces first, then bold and italic ones. Further calls do nothing.
    static func open(_ names: [String]) {
        opened.withLock { opened in
            if opened == nil { opened = Self.families(names) }
        }
    }

    /// The installed families by their requested names, in lower case.
    static var names: [String] { families.map(\.name) }

    /// Returns the system's name of a family; nil if it is not installed. Opens the default fonts if none are open.
    static func family(_ name: String) -> String? {
        let all = families
        let found = all.first { $0.name == name } ?? (name == Text.usualFont ? all.first : nil)
        return found?.family
    }

    private static var families: [(name: String, family: String)] {
        open(Text.usualFonts)
        return opened.withLock { ($0 ?? []).map { ($0.name, $0.family) } }
    }

    private static func families(_ names: [String]) -> [OpenFamily] {
        let chosen = FontChoice(names, most: maxFaces)
        chosen.becomeCurrent()
        return chosen.families.compactMap { family in
            let faces = family.faces.compactMap { try? OpenFace($0, of: family.family) }
            return faces.isEmpty ? nil : OpenFamily(name: family.name, family: family.family, faces: faces)
        }
    }

    private struct OpenFamily {
        let name: String
        let family: String
        let faces: [OpenFace]
    }

    /// A drawn text, which holds the face and its file open.
    private final class OpenFace {
        private let text: VipsOperation

        /// Letters of several scripts. Line breaks in Thai come from a separate file, and characters that no font has are drawn as boxes of digits.
        private static let sample = "Ag1 \u{e9} \u{5e9}\u{5dc} \u{0e44}\u{0e17}\u{0e22} \u{10ffff}"

        init(_ style: FontStyle, of family: String) throws(VipsError) {
            var text = try style.text(Self.sample, family: family, size: 24)
            try text.run()
            self.text = text
        }
    }
}

/// The four faces of a text family.
enum FontStyle: CaseIterable {
    case regular, bold, italic, boldItalic

    init(isBold: Bool, isItalic: Bool) {
        self = isBold ? (isItalic ? .boldItalic : .bold) : isItalic ? .italic : .regular
    }

    var isBold: Bool { self == .bold || self == .boldItalic }
    var isItalic: Bool { self == .italic || self == .boldItalic }
    /// The style as Pango writes it after the family.
    var words: String { (isBold ? " Bold" : "") + (isItalic ? " Italic" : "") }

    /// Returns the operation that draws text in this style.
    /// - Parameters:
    ///   - markup: text in Pango's markup.
    ///   - size: the size of the letters in pixels.
    func text(_ markup: String, family: String, size: Double) throws(VipsError) -> VipsOperation {
        // Always at 72 dots per inch, where points are pixels. Another number would empty Pango's cache of open fonts.
        try VipsOperation("text").set("text", markup).set("font", "\(family),\(words) \(JSON(size).text)").set("dpi", 72).set("rgba", true)
    }
}
