import ImageHeads
import TintypeImages

/// Planes of an image of libvips in the full range: HDR is mixed by BT.2020. SDR is mixed by BT.601, as in a JPEG, which every reader of AVIF knows.
extension AV1Planes {
    /// - Parameters:
    ///   - image: RGB or gray of 8 or 16 bits, perhaps with transparency, which is left out.
    ///   - depth: the bits of a sample.
    ///   - isFullColor: whether the planes of color stay as large as the image.
    ///   - colors: what the numbers of the image mean, and how they are mixed.
    init(_ image: VipsImage, depth: Int, isFullColor: Bool, colors said: CodedColors = AVIFFile.sRGB) throws(VipsError) {
        let scale = Double(1 << depth - 1) / image.format.white
        let size = image.size
        var planes: [[UInt8]] = []
        if image.bands < 3 {
            planes = [try Self.samples(image.bands == 1 ? image : image.band(0), scale, 0, depth)]
        } else {
            let mixed = try image.band(0, count: 3).mixed(Self.rows(said.matrix))
            planes = [try Self.samples(mixed.band(0), scale, 0, depth)]
            for band in 1...2 {
                var color = try mixed.band(band)
                if !isFullColor { color = try VipsOperation("shrink").set("in", color).set("hshrink", 2.0).set("vshrink", 2.0).set("ceil", true).image() }
                planes.append(try Self.samples(color, scale, Double(1 << (depth - 1)), depth))
            }
        }
        guard let made = AV1Planes(size: size, depth: depth, isFullColor: isFullColor, planes: planes, colors: said) else {
            throw VipsError(operation: "planes", text: "the planes of a picture of \(size) have other sizes")
        }
        self = made
    }

    /// Returns the transparency of an image as a gray picture.
    static func alpha(of image: VipsImage, depth: Int) throws(VipsError) -> AV1Planes {
        try AV1Planes(image.band(image.bands - 1), depth: depth, isFullColor: false)
    }

    /// ITU-R BT.601, §2.5, and for code point 9 BT.2020, table 4, without constant luminance.
    private static func rows(_ matrix: Int) -> [[Double]] {
        let (red, blue) = matrix == 9 ? (0.2627, 0.0593) : (0.299, 0.114)
        let (green, mostBlue, mostRed) = (1 - red - blue, 2 * (1 - blue), 2 * (1 - red))
        return [[red, green, blue], [-red / mostBlue, -green / mostBlue, 0.5], [0.5, -green / mostRed, -blue / mostRed]]
    }

    /// Returns numbers as samples. Rounding adds a little less than a half, so that the highest color stays within its bits.
    private static func samples(_ image: VipsImage, _ scale: Double, _ middle: Double, _ depth: Int) throws(VipsError) -> [UInt8] {
        if image.format == .uint8, scale == 1 { return try image.samples() }
        return try image.linear(scale, middle + 0.499).cast(depth > 8 ? .uint16 : .uint8).samples()
    }
}
