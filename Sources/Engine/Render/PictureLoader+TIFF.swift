import ImageHeads
import TintypeImages

extension PictureLoader {
    /// Converts a TIFF in luma and chroma to RGB. libvips does so in a JPEG only.
    func mixed(_ image: VipsImage, page: Int) throws(VipsError) -> VipsImage {
        guard format == .tiff, image.format == .uint8, image.bands == 3, let luma = TIFFLuma(ByteReader(bytes: source), page: page) else { return image }
        let (parts, range) = (luma.parts, luma.range)
        let scale = [255 / (range[1] - range[0]), 127 / (range[3] - range[2]), 127 / (range[5] - range[4])]
        let even = try image.linear(scale, [-range[0] * scale[0], -range[2] * scale[1], -range[4] * scale[2]])
        let (red, blue) = (2 - 2 * parts[0], 2 - 2 * parts[2])
        let rows = [[1, 0, red], [1, -blue * parts[2] / parts[1], -red * parts[0] / parts[1]], [1, blue, 0]]
        return try ColorBands.rounded(even.mixed(rows), .uint8).tagged(.sRGB)
    }

    /// Converts a TIFF in Lab. It comes as four packed bytes a pixel, which no step could tell from colors with transparency. The profile is dropped,
    /// because it describes the packed numbers.
    func unpacked(_ image: VipsImage) throws(VipsError) -> VipsImage {
        guard format == .tiff, image.isPackedLab else { return image }
        // From packed Lab libvips goes to sRGB by a table of 6 bits, and spreads the error over the neighbors.
        let lab = try VipsOperation("LabQ2Lab").set("in", image).image()
        // The 8 bits of brightness are the upper ones of ten.
        return try lab.linear([1023.0 / 1020, 1, 1], [0, 0, 0]).converted(to: .sRGB).withHeader { $0.remove(ColorStep.profileField) }
    }

    /// Copies the tags of a TIFF about its author, owner and camera to EXIF, because libvips does not read them.
    func signed(_ image: VipsImage, page: Int) throws(VipsError) -> VipsImage {
        guard let tags = TIFFTags(ByteReader(bytes: source), page: page) else { return image }
        // libvips sets the EXIF fields from the block, and so knows how it would write them.
        return try image.withHeader { header in
            header.set("exif-data", tags.block)
            if image.orientation != 1 { header.set("orientation", image.orientation) }
        }
    }
}
