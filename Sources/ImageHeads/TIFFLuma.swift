package import TintypeImages

/// The meaning of luma and chroma in a page of a TIFF that no JPEG holds (TIFF 6.0, section 21). Pure.
package struct TIFFLuma: Sendable {
    /// The parts of red, green and blue in the luma.
    package private(set) var parts = [0.299, 0.587, 0.114]
    /// Black and white of the luma, then the middle and the end of each chroma.
    package private(set) var range: [Double] = [0, 255, 128, 255, 128, 255]

    /// - Returns: nil for a page of other numbers, and for one whose fields describe none.
    package init?(_ file: ByteReader, page: Int) {
        guard let reader = TagReader(file, at: 0), let directory = reader.directory(ofPage: page) else { return nil }
        let entries = reader.entries(of: directory)
        func number(_ tag: Int) -> Int? { entries.first { $0.tag == tag }.flatMap(reader.int) }
        func ratios(_ tag: Int, _ count: Int) -> [Double]? {
            guard let entry = entries.first(where: { $0.tag == tag }), entry.type == 5, entry.count == count else { return nil }
            let values = (0..<count).compactMap { index -> Double? in
                guard let above = reader.word(entry.at + 8 * index, 4), let below = reader.word(entry.at + 8 * index + 4, 4), below > 0 else { return nil }
                return Double(above) / Double(below)
            }
            return values.count == count ? values : nil
        }
        // Compressions 6 and 7 are JPEG.
        guard number(262) == 6, ![6, 7].contains(number(259) ?? 1) else { return nil }
        (parts, range) = (ratios(529, 3) ?? parts, ratios(532, 6) ?? range)
        guard parts[1] > 0, range[1] > range[0], range[3] > range[2], range[5] > range[4] else { return nil }
    }
}
