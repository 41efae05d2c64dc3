import TintypeImages

/// The facts of a color profile: which pictures it describes, and whether it is sRGB's, which needs no conversion.
struct ICCProfile {
    /// The channels of a picture, without transparency.
    enum Channels { case gray, rgb, cmyk }

    /// The profile's own name, or "".
    let description: String
    /// The channels that the profile describes (ICC.1:2022, 7.2.6); nil: others, such as Lab, which no picture here has.
    let channels: Channels?
    /// Whether the profile's only table is that of the perceptual intent, as with many scanners and with XYB. LittleCMS then supports no other intent.
    let isPerceptualOnly: Bool
    /// Whether the curve of gray, or each of the three curves, is that of sRGB as a formula, and no table counts before the curves.
    private let hasCurve: Bool
    /// The primaries of a profile for colors, if they are known ones. Its curves are not compared: those of sRGB are usual with them.
    let primaries: WideProfile.Primaries?

    init(_ bytes: [UInt8]) {
        (description, channels, isPerceptualOnly, hasCurve, primaries) = bytes.withUnsafeBytes { raw in
            let reader = ByteReader(bytes: raw)
            let tags = Self.tags(reader)
            let channels = Self.channels(reader)
            let curves = channels == .gray ? ["kTRC"] : ["rTRC", "gTRC", "bTRC"]
            let hasOthers = ["A2B1", "rXYZ", "kTRC"].contains { tags[$0] != nil }
            return (
                tags["desc"].map { Self.text(reader, $0) } ?? "", channels, tags["A2B0"] != nil && !hasOthers,
                tags["A2B0"] == nil && curves.allSatisfy { tags[$0].map { Self.isCurve(reader, $0) } ?? false }, Self.primaries(reader, tags)
            )
        }
    }

    /// True for sRGB, and for gray with its curve: by content, as in the profile of a JPEG XL, or by a common name. Another profile is converted, which is
    /// slower and rounds. Longer names with the same beginning are other profiles: `sRGB-elle-V2-g10.icc` is linear.
    var isSRGB: Bool {
        switch channels {
        case .gray: hasCurve
        case .rgb: Self.names.contains(description) || hasCurve && primaries == .sRGB
        case .cmyk, nil: false
        }
    }

    /// Returns the curve of gray, or the three of colors with the primaries as X, Y and Z.
    ///
    /// It is nil for a profile with tables, for a damaged one, and for one whose curve leads to L* instead of light (ICC.1:2022, F.2).
    static func shape(_ bytes: [UInt8]) -> (curves: [ProfileCurve], columns: [[Double]])? {
        bytes.withUnsafeBytes { raw in
            let reader = ByteReader(bytes: raw), tags = tags(reader), channels = channels(reader)
            guard tags["A2B0"] == nil, tags["A2B1"] == nil, reader.has("XYZ ", at: 20), channels == .gray || channels == .rgb else { return nil }
            let names = channels == .gray ? ["kTRC"] : ["rTRC", "gTRC", "bTRC"]
            let curves = names.compactMap { name in tags[name].flatMap { ProfileCurve(reader, $0) } }
            let columns = channels == .gray ? [] : columns(reader, tags)
            return curves.count == names.count && columns.joined().allSatisfy(\.isFinite) ? (curves, columns) : nil
        }
    }

    private static let names: Set<String> = [
        "sRGB", "sRGB IEC61966-2.1", "sRGB IEC61966-2-1", "sRGB IEC61966-2-1 black scaled", "sRGB built-in", "sRGB2014", "sRGB v4 ICC preference",
        "sRGB MO", "sRGB_parametric", "sRGB Profile", "sRGB-elle-V2-srgbtrc.icc", "sRGB-elle-V4-srgbtrc.icc", "GIMP built-in sRGB", "c2", "c2ci",
    ]

    private static func channels(_ reader: ByteReader) -> Channels? {
        switch reader.big(16, 4) {
        case 0x4752_4159: .gray
        case 0x5247_4220: .rgb
        case 0x434d_594b: .cmyk
        default: nil
        }
    }

    private static let wanted: [StaticString] = ["desc", "A2B0", "A2B1", "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC"]

    /// Returns the offsets of the wanted tags; the first one if a name is repeated.
    private static func tags(_ reader: ByteReader) -> [String: Int] {
        guard let count = reader.big(128, 4), count <= 256 else { return [:] }
        var tags: [String: Int] = [:]
        for at in (0..<count).map({ 132 + 12 * $0 }) {
            guard let offset = reader.big(at + 4, 4) else { break }
            for name in wanted where tags["\(name)"] == nil && reader.has(name, at: at) { tags["\(name)"] = offset }
        }
        return tags
    }

    private static func primaries(_ reader: ByteReader, _ tags: [String: Int]) -> WideProfile.Primaries? {
        let columns = columns(reader, tags)
        return WideProfile.Primaries.allCases.first { known in
            zip(columns.joined(), known.columns.joined()).allSatisfy { abs($0 - $1) < 0.002 }
        }
    }

    private static func columns(_ reader: ByteReader, _ tags: [String: Int]) -> [[Double]] {
        ["rXYZ", "gXYZ", "bXYZ"].map { name in (0..<3).map { index in tags[name].map { fixed(reader, $0 + 8 + 4 * index) } ?? .nan } }
    }

    /// Whether a curve is the formula of sRGB: type 3 (ICC.1:2022, 10.18).
    private static func isCurve(_ reader: ByteReader, _ at: Int) -> Bool {
        reader.has("para", at: at) && reader.big(at + 8, 2) == 3
            && WideProfile.sRGBCurve.enumerated().allSatisfy { abs(fixed(reader, at + 12 + 4 * $0) - $1) < 0.0005 }
    }

    private static func fixed(_ reader: ByteReader, _ at: Int) -> Double {
        reader.big(at, 4).map { Double(Int32(truncatingIfNeeded: $0)) / 65536 } ?? .nan
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
