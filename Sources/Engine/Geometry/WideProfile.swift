import ImageHeads
import TintypeImages

/// Profiles with the colors of numbers that say what they mean, for programs that only read profiles. libvips has none of its own. ICC.1:2010, version 4.
enum WideProfile {
    /// Returns a profile with the colors of code points (ITU-T H.273). It shows an HDR picture tone-mapped to the range of SDR.
    /// - Returns: nil if they are those of sRGB, or unknown.
    static func of(_ colors: CodedColors, isGray: Bool = false) -> [UInt8]? {
        let isMapped = ToneMap(transfer: colors.transfer) != nil
        // Unknown primaries of HDR are taken for those of BT.2020, which nearly all such pictures have.
        let known = Chromaticities.coded[colors.primaries] ?? Chromaticities.coded[isMapped ? 9 : colors.primaries == 2 ? 1 : 0]
        guard let known, let curve = curve(colors.transfer), !(colors.isUsualCurve && (isGray || [1, 2].contains(colors.primaries))) else { return nil }
        let name = colors.isUsualCurve ? names[colors.primaries] : nil
        return profile(name ?? "CICP \(colors.primaries)-\(colors.transfer)\(isMapped ? ", tone-mapped" : "")", isGray ? nil : known, curve)
    }

    /// Returns a profile with the colors of a PNG's chunks gAMA and cHRM.
    /// - Parameters:
    ///   - gamma: the exponent from light to numbers, times 100,000.
    ///   - chromaticities: x and y of white, red, green and blue, times 100,000; nil: those of sRGB.
    /// - Returns: nil if the colors are nearly those of sRGB, or impossible.
    static func of(gamma: Int, chromaticities: [Int]?, isGray: Bool) -> [UInt8]? {
        // The limits, and what counts as nearly, are those of libpng 1.6.
        guard (16...625_000_000).contains(gamma) else { return nil }
        let isUsual = abs(Double(gamma) * 2.2e-5 - 1) < 0.05
        let isWide = !isGray && chromaticities.map { zip($0, sRGB).contains { abs($0 - $1) > 1000 } } ?? false
        guard let known = isWide ? chromaticities.flatMap({ Chromaticities($0.map { Double($0) / 1e5 }) }) : Chromaticities.coded[1], isWide || !isUsual else {
            return nil
        }
        return profile("PNG, gamma \(Double(gamma) / 1e5)", isGray ? nil : known, parametric(0, [1e5 / Double(gamma)]))
    }

    /// Returns a profile with the curve of sRGB.
    /// - Parameter columns: the primaries as X, Y and Z, under the white of profiles.
    static func of(columns: [[Double]]) -> [UInt8] { profile("recoded", columns, nil, parametric(3, sRGBCurve)) }

    /// The chromaticities of sRGB as a PNG has them.
    private static let sRGB = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000]
    private static let names = [9: "BT.2020", 12: "Display P3"]

    /// Primaries that other code knows, by their code points.
    enum Primaries: Int, CaseIterable {
        case bt2020 = 9
        case displayP3 = 12
        case sRGB = 1

        /// The three primaries under the white of profiles. They add up to white.
        var columns: [[Double]] { Chromaticities.coded[rawValue]?.columns ?? [] }
    }

    /// - Parameter colors: nil: a profile for gray.
    private static func profile(_ name: String, _ colors: Chromaticities?, _ curve: [UInt8]) -> [UInt8] {
        profile(name, colors?.columns, colors?.adaptation, curve)
    }

    private static func profile(_ name: String, _ columns: [[Double]]?, _ adaptation: [[Double]]?, _ curve: [UInt8]) -> [UInt8] {
        let all: [(name: String, content: [UInt8])] = [("desc", text(name)), ("cprt", text("No copyright, use freely")), ("wtpt", xyz(Chromaticities.white))]
        guard let columns else { return file("GRAY", all + [("kTRC", curve)]) }
        let white = adaptation.map { [(name: "chad", content: array("sf32", $0.flatMap { $0 }))] } ?? []
        let primaries = zip(["rXYZ", "gXYZ", "bXYZ"], columns).map { (name: $0, content: xyz($1)) }
        return file("RGB ", all + white + primaries + ["rTRC", "gTRC", "bTRC"].map { (name: $0, content: curve) })
    }

    /// Returns the curve from numbers to light of a code point. Curves of television are read as that of sRGB, as most programs do.
    /// - Returns: nil for reserved code points, and for logarithms, which no picture has.
    private static func curve(_ transfer: Int) -> [UInt8]? {
        if let map = ToneMap(transfer: transfer) { return tables[map] }
        switch transfer {
        case 4: return parametric(0, [2.2])
        case 5: return parametric(0, [2.8])
        // SMPTE ST 240.
        case 7: return parametric(3, [1 / 0.45, 1 / 1.1115, 0.1115 / 1.1115, 1 / 4, 0.0913])
        case 8: return parametric(0, [1])
        // SMPTE ST 428-1: 48 of 52.37 cd/m² are white.
        case 17: return parametric(3, [2.6, 1.034081, 0, 0, 0])
        case let code: return CodedColors.usualCurves.contains(code) ? parametric(3, sRGBCurve) : nil
        }
    }

    /// The numbers of sRGB's curve, as ICC.1:2022, 10.18, counts them.
    static let sRGBCurve = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]

    private static func parametric(_ kind: UInt8, _ numbers: [Double]) -> [UInt8] {
        Array("para".utf8) + BigEndian.bytes(0) + [0, kind, 0, 0] + numbers.flatMap(fixed)
    }

    /// Tables with 4096 entries: HDR pictures usually have 10 bits.
    private static let tables: [ToneMap: [UInt8]] = Dictionary(
        uniqueKeysWithValues: ToneMap.allCases.map { map in
            let numbers = map.table(4096).map { Int(($0 * 65535).rounded()) }
            return (map, Array("curv".utf8) + BigEndian.bytes(0) + BigEndian.bytes(numbers.count) + numbers.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
        })

    /// Returns the header, the table of tags, and the tags.
    private static func file(_ space: String, _ tags: [(name: String, content: [UInt8])]) -> [UInt8] {
        var list = BigEndian.bytes(tags.count)
        var content: [UInt8] = []
        for tag in tags {
            list += Array(tag.name.utf8) + BigEndian.bytes(132 + 12 * tags.count + content.count) + BigEndian.bytes(tag.content.count)
            // Each tag begins at a multiple of four.
            content += tag.content + [UInt8](repeating: 0, count: -tag.content.count & 3)
        }
        // No creator, 1 January 2026, no device, no intent.
        let words =
            BigEndian.bytes(0) + BigEndian.bytes(0x0420_0000) + Array("mntr\(space)XYZ ".utf8) + [0x07, 0xea, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8)
        let head = words + [UInt8](repeating: 0, count: 28) + Chromaticities.white.flatMap(fixed) + [UInt8](repeating: 0, count: 48)
        return BigEndian.bytes(128 + list.count + content.count) + head + list + content
    }

    private static func text(_ text: String) -> [UInt8] {
        Array("mluc".utf8) + BigEndian.bytes(0) + BigEndian.bytes(1) + BigEndian.bytes(12) + Array("enUS".utf8) + BigEndian.bytes(2 * text.utf8.count)
            + BigEndian.bytes(28) + text.utf8.flatMap { [0, $0] }
    }

    private static func xyz(_ values: [Double]) -> [UInt8] { array("XYZ ", values) }
    private static func array(_ kind: String, _ values: [Double]) -> [UInt8] { Array(kind.utf8) + BigEndian.bytes(0) + values.flatMap(fixed) }
    private static func fixed(_ value: Double) -> [UInt8] { BigEndian.bytes(Int((value * 65536).rounded())) }
}
