import TintypeImages
import TintypeSettings
import Synchronization
import TintypeCore

/// The fonts that text is drawn with: those of `--fonts` that are installed. Each of their faces is opened while files may still be opened, and
/// fontconfig knows no others from then on, so that no text, whatever its script, makes anybody look for a file.
///
/// fontconfig has one configuration for the process, so there is one of these, as there is one libvips.
enum Fonts {
    private static let opened = Mutex<[OpenFamily]?>(nil)

    /// Faces that are held open: cairo closes some of them again when there are more than ten.
    static let mostFaces = 10

    /// Opens what is there of these families: regular faces first, then bold ones, then those that lean. Calling it again does nothing.
    static func open(_ names: [String]) {
        opened.withLock { opened in
            if opened == nil { opened = Self.families(names) }
        }
    }

    /// The names of what is there, as they were asked for, in small letters.
    static var names: [String] { families.map(\.name) }

    /// What the system calls a family; nil for one that is not there. Where nobody has opened any, the usual ones are.
    static func family(_ name: String) -> String? {
        let all = families
        let found = all.first { $0.name == name } ?? (name == Text.usualFont ? all.first : nil)
        return found?.family
    }

    private static var families: [(name: String, family: String)] {
        open(SharedSettings().fonts)
        return opened.withLock { ($0 ?? []).map { ($0.name, $0.family) } }
    }

    private static func families(_ names: [String]) -> [OpenFamily] {
        let chosen = FontChoice(names, most: mostFaces)
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

    /// What has been drawn with a face holds it, and so its file.
    private final class OpenFace {
        private let text: VipsOperation

        /// Letters of several scripts: line breaks in Thai come from a file of their own, and what no font has is drawn as boxes of digits.
        private static let sample = "Ag1 \u{e9} \u{5e9}\u{5dc} \u{0e44}\u{0e17}\u{0e22} \u{10ffff}"

        init(_ style: FontStyle, of family: String) throws(VipsError) {
            var text = try style.text(Self.sample, family: family, size: 24)
            try text.run()
            self.text = text
        }
    }
}

/// The four faces that a family of text has.
enum FontStyle: CaseIterable {
    case regular, bold, italic, boldItalic

    init(isBold: Bool, isItalic: Bool) {
        self = isBold ? (isItalic ? .boldItalic : .bold) : isItalic ? .italic : .regular
    }

    var isBold: Bool { self == .bold || self == .boldItalic }
    var isItalic: Bool { self == .italic || self == .boldItalic }
    /// As Pango writes it after the family.
    var words: String { (isBold ? " Bold" : "") + (isItalic ? " Italic" : "") }

    /// The call that draws text in this style.
    /// - Parameters:
    ///   - markup: Pango's.
    ///   - size: of the letters, in pixels.
    func text(_ markup: String, family: String, size: Double) throws(VipsError) -> VipsOperation {
        // Always at 72 dots an inch, where points are pixels: another number would empty Pango's cache of open fonts.
        try VipsOperation("text").set("text", markup).set("font", "\(family),\(words) \(JSON(size).text)").set("dpi", 72).set("rgba", true)
    }
}
