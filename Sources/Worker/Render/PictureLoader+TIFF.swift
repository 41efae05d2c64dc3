import ImageHeads
import TintypeImages

extension PictureLoader {
    /// Converts a TIFF in luma and chroma to RGB (TIFF 6.0, section 21). libvips leaves that to libjpeg, and takes the numbers of any other compression for RGB.
    func mixed(_ image: VipsImage, page: Int) throws(VipsError) -> VipsImage {
        guard format == .tiff, image.format == .uint8, image.bands == 3, let reader = TagReader(ByteReader(bytes: source), at: 0),
            let directory = reader.directory(ofPage: page)
        else { return image }
        let entries = reader.entries(of: directory)
        func number(_ tag: Int) -> Int? { entries.first { $0.tag == tag }.flatMap(reader.int) }
        func ratios(_ tag: Int, _ usual: [Double]) -> [Double] {
            guard let entry = entries.first(where: { $0.tag == tag }), entry.type == 5, entry.count == usual.count else { return usual }
            let values = (0..<entry.count).compactMap { index -> Double? in
                guard let above = reader.word(entry.at + 8 * index, 4), let below = reader.word(entry.at + 8 * index + 4, 4), below > 0 else { return nil }
                return Double(above) / Double(below)
            }
            return values.count == usual.count ? values : usual
        }
        // Compressions 6 and 7 are JPEG.
        guard number(262) == 6, ![6, 7].contains(number(259) ?? 1) else { return image }
        let luma = ratios(529, [0.299, 0.587, 0.114]), range = ratios(532, [0, 255, 128, 255, 128, 255])
        guard luma[1] > 0, range[1] > range[0], range[3] > range[2], range[5] > range[4] else { return image }
        let scale = [255 / (range[1] - range[0]), 127 / (range[3] - range[2]), 127 / (range[5] - range[4])]
        let even = try VipsOperation("linear").set("in", image).set("a", scale).set("b", [-range[0] * scale[0], -range[2] * scale[1], -range[4] * scale[2]]).image()
        let (red, blue) = (2 - 2 * luma[0], 2 - 2 * luma[2])
        let rows = [[1, 0, red], [1, -blue * luma[2] / luma[1], -red * luma[0] / luma[1]], [1, blue, 0]]
        let colours = try VipsOperation("recomb").set("in", even).set("m", VipsImage.matrix(rows)).image()
        return try VipsOperation("copy").set("in", ColourBands.rounded(colours, .uint8)).set("interpretation", Int(VipsColours.sRGB.rawValue)).image()
    }
}
