import TintypeImages

/// Profiles with the colors of code points (CICP), for programs that only read profiles. libvips has none of its own. ICC.1:2010, version 4.
enum WideProfile {
    /// BT.2020 with the curve of sRGB, as pictures in BT.709 and BT.2020 are shown.
    static let bt2020 = profile("BT.2020", .bt2020, curve)

    /// Returns a profile that shows an HDR picture tone-mapped to the range of SDR.
    static func of(_ map: ToneMap, _ primaries: Primaries) -> [UInt8] { profile("\(primaries) \(map), tone-mapped", primaries, curves[map] ?? curve) }

    enum Primaries: CaseIterable {
        case bt2020, displayP3, sRGB

        /// - Parameter code: the code point of ITU-T H.273. Unknown primaries are taken for BT.2020, which nearly all HDR pictures have.
        init(code: Int) {
            switch code {
            case 1: self = .sRGB
            case 11, 12: self = .displayP3
            default: self = .bt2020
            }
        }

        /// The three primaries under the white of profiles. They add up to white.
        var columns: [[Double]] {
            switch self {
            case .bt2020: [[0.673480, 0.279043, -0.001933], [0.165671, 0.675344, 0.029983], [0.125049, 0.045613, 0.796851]]
            case .displayP3: [[0.515121, 0.241196, -0.001053], [0.291977, 0.692245, 0.041885], [0.157104, 0.066574, 0.784073]]
            case .sRGB: [[0.436066, 0.222488, 0.013916], [0.385147, 0.716873, 0.097076], [0.143066, 0.060608, 0.714096]]
            }
        }
    }

    private static func profile(_ name: String, _ primaries: Primaries, _ curve: [UInt8]) -> [UInt8] {
        let columns = primaries.columns
        return file([
            ("desc", text(name)), ("cprt", text("No copyright, use freely")), ("wtpt", xyz(white)),
            // From daylight, the white of all three, to the white of profiles, after Bradford.
            ("chad", array("sf32", [1.047886, 0.022919, -0.050216, 0.029582, 0.990484, -0.017079, -0.009252, 0.015073, 0.751678])),
            ("rXYZ", xyz(columns[0])), ("gXYZ", xyz(columns[1])), ("bXYZ", xyz(columns[2])), ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
        ])
    }

    private static let white = [0.9642, 1, 0.8249]
    private static let curve = Array("para".utf8) + BigEndian.bytes(0) + [0, 3, 0, 0] + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(fixed)

    /// Tables with 4096 entries: HDR pictures usually have 10 bits.
    private static let curves: [ToneMap: [UInt8]] = Dictionary(
        uniqueKeysWithValues: ToneMap.allCases.map { map in
            let numbers = map.table(4096).map { Int(($0 * 65535).rounded()) }
            return (map, Array("curv".utf8) + BigEndian.bytes(0) + BigEndian.bytes(numbers.count) + numbers.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
        })

    /// Returns the header, the table of tags, and the tags.
    private static func file(_ tags: [(name: String, content: [UInt8])]) -> [UInt8] {
        var list = BigEndian.bytes(tags.count)
        var content: [UInt8] = []
        for tag in tags {
            list += Array(tag.name.utf8) + BigEndian.bytes(132 + 12 * tags.count + content.count) + BigEndian.bytes(tag.content.count)
            // Each tag begins at a multiple of four.
            content += tag.content + [UInt8](repeating: 0, count: -tag.content.count & 3)
        }
        // No creator, 1 January 2026, no device, no intent.
        let words =
            BigEndian.bytes(0) + BigEndian.bytes(0x0420_0000) + Array("mntrRGB XYZ ".utf8) + [0x07, 0xea, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8)
        let head = words + [UInt8](repeating: 0, count: 28) + white.flatMap(fixed) + [UInt8](repeating: 0, count: 48)
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
