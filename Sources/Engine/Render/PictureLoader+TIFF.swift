import ImageHeads
import TintypeImages

extension PictureLoader {
    /// Converts a TIFF in luma and chroma to RGB. libvips does so in a JPEG only.
    func mixed(_ image: VipsImage, page: Int) throws(VipsError) -> VipsImage {
        guard format == .tiff, image.format == .uint8, image.bands == 3, let luma = TIFFLuma(ByteReader(bytes: source), page: page) else { return image }
        let (parts, range) = (luma.parts, luma.range)
        let scale = [255 / (range[1] - range[0]), 127 / (range[3] - range[2]), 127 / (range[5] - range[4])]
        let even = try VipsOperation("linear").set("in", image).set("a", scale).set("b", [-range[0] * scale[0], -range[2] * scale[1], -range[4] * scale[2]])
            .image()
        let (red, blue) = (2 - 2 * parts[0], 2 - 2 * parts[2])
        let rows = [[1, 0, red], [1, -blue * parts[2] / parts[1], -red * parts[0] / parts[1]], [1, blue, 0]]
        let colours = try VipsOperation("recomb").set("in", even).set("m", VipsImage.matrix(rows)).image()
        return try VipsOperation("copy").set("in", ColourBands.rounded(colours, .uint8)).set("interpretation", Int(VipsColours.sRGB.rawValue)).image()
    }
}
