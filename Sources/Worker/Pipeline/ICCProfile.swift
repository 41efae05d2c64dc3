import Shared

/// Reads the description of a colour profile, to tell the one profile that needs no work: sRGB.
struct ICCProfile {
    /// What the profile calls itself, or "".
    let description: String
    /// Whether it is one of red, green and blue.
    let isColour: Bool

    init(_ bytes: [UInt8]) {
        let (description, isColour) = bytes.withUnsafeBytes { raw in
            let reader = ByteReader(bytes: raw)
            return (Self.describe(reader), reader.has("RGB ", at: 16))
        }
        self.description = description
        self.isColour = isColour
    }

    /// True for the common names of sRGB; a profile under another name is converted, which is only slower. Names that only begin so are others:
    /// `sRGB-elle-V2-g10.icc` is linear.
    var isSRGB: Bool { isColour && Self.names.contains(description) }

    private static let names: Set<String> = [
        "sRGB", "sRGB IEC61966-2.1", "sRGB IEC61966-2-1", "sRGB IEC61966-2-1 black scaled", "sRGB built-in", "sRGB2014", "sRGB v4 ICC preference",
        "sRGB MO", "sRGB_parametric", "sRGB Profile", "sRGB-elle-V2-srgbtrc.icc", "sRGB-elle-V4-srgbtrc.icc", "GIMP built-in sRGB", "c2", "c2ci",
    ]

    private static func describe(_ reader: ByteReader) -> String {
        guard let tags = reader.big(128, 4), tags <= 256 else { return "" }
        for index in 0..<tags {
            let at = 132 + 12 * index
            guard reader.has("desc", at: at), let offset = reader.big(at + 4, 4) else { continue }
            return text(reader, offset)
        }
        return ""
    }

    private static func text(_ reader: ByteReader, _ at: Int) -> String {
        var letters: [UInt8] = []
        if reader.has("desc", at: at), let length = reader.big(at + 8, 4) {
            for index in 0..<min(length, 100) { if let byte = reader.byte(at + 12 + index), byte != 0 { letters.append(UInt8(byte)) } }
        } else if reader.has("mluc", at: at), let length = reader.big(at + 20, 4), let offset = reader.big(at + 24, 4) {
            // UTF-16; the names we look for are ASCII.
            for index in 0..<min(length / 2, 100) {
                guard let unit = reader.big(at + offset + 2 * index, 2), unit != 0 else { break }
                letters.append(UInt8(clamping: unit))
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }
}
