import CFontconfig

/// The choice of installed fonts. fontconfig is asked for each name, and then gets a configuration with the answers and no other fonts.
struct FontChoice {
    struct Family {
        /// The requested name, in lower case.
        let name: String
        /// The font's own name.
        let family: String
        /// The chosen faces of the family.
        var faces: [FontStyle] = []
    }

    private(set) var families: [Family] = []
    private var files: [Face] = []

    private struct Face: Hashable {
        var file: String
        var index: Int32
    }

    /// Names for which any fitting font is used. Any other name has to be a family's own.
    private static let generic: Set<String> = ["sans", "sans-serif", "serif", "mono", "monospace", "system-ui", "cursive", "fantasy", "emoji", "math"]

    init(_ names: [String], most: Int) {
        guard let config = FcInitLoadConfigAndFonts() else { return }
        defer { FcConfigDestroy(config) }
        var seen: Set<String> = []
        for name in names.map({ $0.lowercased() }) where seen.insert(name).inserted {
            if let found = Self.match(name, .regular, config) { families.append(Family(name: name, family: found.family)) }
        }
        // Regular faces of all families come before the bold faces of any.
        for style in FontStyle.allCases {
            for index in families.indices {
                guard let face = Self.match(families[index].name, style, config)?.face, !files.contains(face) || style == .regular else { continue }
                guard files.contains(face) || files.count < most else { continue }
                if !files.contains(face) { files.append(face) }
                families[index].faces.append(style)
            }
        }
    }

    /// Makes the chosen fonts the only ones that fontconfig knows. Its rules (hinting, a replacement for a missing slant) stay those of the system.
    func becomeCurrent() {
        guard let config = FcInitLoadConfig() else { return }
        let accepted = files.map { face in
            "<pattern><patelt name=\"file\"><string>\(Self.escaped(face.file))</string></patelt><patelt name=\"index\"><int>\(face.index)</int></patelt></pattern>"
        }
        let text = "<fontconfig><selectfont><acceptfont>\(accepted.joined())</acceptfont><rejectfont><pattern></pattern></rejectfont></selectfont></fontconfig>"
        let isRead = text.withFontconfig { FcConfigParseAndLoadFromMemory(config, $0, FcBool(FcTrue)) } == FcTrue
        if isRead, FcConfigBuildFonts(config) == FcTrue { FcConfigSetCurrent(config) }
        FcConfigDestroy(config)
    }

    private static func match(_ name: String, _ style: FontStyle, _ config: OpaquePointer) -> (family: String, face: Face)? {
        guard let pattern = FcPatternCreate() else { return nil }
        defer { FcPatternDestroy(pattern) }
        _ = name.withFontconfig { FcPatternAddString(pattern, FC_FAMILY, $0) }
        FcPatternAddInteger(pattern, FC_WEIGHT, style.isBold ? FC_WEIGHT_BOLD : FC_WEIGHT_REGULAR)
        FcPatternAddInteger(pattern, FC_SLANT, style.isItalic ? FC_SLANT_ITALIC : FC_SLANT_ROMAN)
        FcConfigSubstitute(config, pattern, FcMatchPattern)
        FcDefaultSubstitute(pattern)
        var result = FcResultNoMatch
        guard let match = FcFontMatch(config, pattern, &result) else { return nil }
        defer { FcPatternDestroy(match) }
        let families = (0..<8).compactMap { text(match, FC_FAMILY, $0) }
        var index: Int32 = 0
        FcPatternGetInteger(match, FC_INDEX, 0, &index)
        guard let family = families.first, let file = text(match, FC_FILE, 0),
            generic.contains(name) || families.contains(where: { $0.lowercased() == name })
        else { return nil }
        return (family, Face(file: file, index: index))
    }

    private static func text(_ pattern: OpaquePointer, _ object: String, _ number: Int32) -> String? {
        var value: UnsafeMutablePointer<FcChar8>?
        guard FcPatternGetString(pattern, object, number, &value) == FcResultMatch, let value else { return nil }
        return String(cString: value)
    }

    private static func escaped(_ text: String) -> String { text.replacing("&", with: "&amp;").replacing("<", with: "&lt;") }
}

extension String {
    /// Calls `body` with the text as fontconfig expects it.
    fileprivate func withFontconfig<Result>(_ body: (UnsafePointer<FcChar8>) -> Result) -> Result {
        var bytes = Array(utf8) + [0]
        return bytes.withUnsafeMutableBufferPointer { buffer in body(UnsafePointer(buffer.baseAddress!)) }
    }
}
