/// The colors and the transparency of a picture, for steps that treat them differently. Only for pictures in sRGB or gray.
struct ColorBands {
    /// One band or three, of 8 or 16 bits.
    let colors: VipsImage
    let alpha: VipsImage?
    let isDeep: Bool

    /// - Parameter asRGB: whether gray becomes three equal bands.
    init(_ image: VipsImage, asRGB: Bool = false) throws(VipsError) {
        isDeep = image.format == .uint16
        let count = image.hasAlpha ? image.bands - 1 : image.bands
        alpha = image.hasAlpha ? try image.band(count) : nil
        let wanted = count >= 3 ? 3 : 1
        let tagged = try Self.tagged(image.bands == wanted ? image : image.band(0, count: wanted), isDeep)
        colors = asRGB && wanted == 1 ? try tagged.converted(to: isDeep ? .rgb16 : .sRGB) : tagged
    }

    var isGray: Bool { colors.bands < 3 }
    /// The number for white, and for opaque.
    var most: Double { isDeep ? 65535 : 255 }

    /// Joins other colors with this transparency. Numbers of any format are rounded to this picture's.
    func joined(_ colors: VipsImage) throws(VipsError) -> VipsImage { try Self.join(whole(colors), alpha, isDeep: isDeep) }

    /// Joins these colors with another transparency.
    func joined(alpha: VipsImage) throws(VipsError) -> VipsImage { try Self.join(colors, whole(alpha), isDeep: isDeep) }

    /// Rounds to the picture's number format, and clamps to its range.
    func whole(_ image: VipsImage) throws(VipsError) -> VipsImage { try Self.rounded(image, isDeep ? .uint16 : .uint8) }

    static func rounded(_ image: VipsImage, _ format: VipsBandFormat) throws(VipsError) -> VipsImage {
        guard image.format != format else { return image }
        let isWhole = image.format != .float && image.format != .double
        return try (isWhole ? image : image.linear(1, 0.5)).cast(format)
    }

    static func join(_ colors: VipsImage, _ alpha: VipsImage?, isDeep: Bool) throws(VipsError) -> VipsImage {
        try tagged(alpha.map { alpha throws(VipsError) in try VipsImage.joined([colors, alpha]) } ?? colors, isDeep)
    }

    /// Sets the name of the color space, which some operations lose.
    private static func tagged(_ image: VipsImage, _ isDeep: Bool) throws(VipsError) -> VipsImage {
        let space: VipsColors = image.bands < 3 ? (isDeep ? .gray16 : .gray) : isDeep ? .rgb16 : .sRGB
        return image.colors == space ? image : try image.tagged(space)
    }
}

/// A curve for each channel, as a table of all possible numbers.
enum ToneCurve {
    /// - Parameters:
    ///   - channels: the channels of the result. One channel goes through several curves, or each channel through its own.
    ///   - curve: maps a channel and its value, 0…1, to the new value, which is clamped to 0…1.
    static func apply(to colors: VipsImage, isDeep: Bool, channels: Int, _ curve: (Int, Double) -> Double) throws(VipsError) -> VipsImage {
        let table: VipsImage
        if isDeep {
            table = try VipsImage.of(samples(65536, channels, curve).map { UInt16($0) }, width: 65536, height: 1, bands: channels)
        } else {
            table = try VipsImage.of(samples(256, channels, curve).map { UInt8($0) }, width: 256, height: 1, bands: channels)
        }
        return try VipsOperation("maplut").set("in", colors).set("lut", table).image()
    }

    private static func samples(_ count: Int, _ channels: Int, _ curve: (Int, Double) -> Double) -> [Int] {
        let most = Double(count - 1)
        return (0..<count * channels).map { index in
            let value = curve(index % channels, Double(index / channels) / most)
            return Int((min(max(value, 0), 1) * most).rounded())
        }
    }
}

/// A mix of red, green and blue: one row of weights for each channel of the result.
struct ColorMatrix {
    var rows: [[Double]]

    static let luma = [0.2126, 0.7152, 0.0722]
    static let identity = ColorMatrix(rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    /// Returns a change of saturation: 0 leaves only the luma, 1 changes nothing. The numbers are those of YYWebImage, with a slip in the last digit corrected.
    static func saturation(_ amount: Double) -> ColorMatrix {
        ColorMatrix(rows: (0..<3).map { row in (0..<3).map { luma[$0] * (1 - amount) + ($0 == row ? amount : 0) } })
    }

    /// Returns the `hue-rotate` of CSS.
    static func hue(_ degrees: Double) -> ColorMatrix {
        let (c, s) = (Turn(degrees).cosine, Turn(degrees).sine)
        return ColorMatrix(rows: [
            [0.213 + 0.787 * c - 0.213 * s, 0.715 - 0.715 * c - 0.715 * s, 0.072 - 0.072 * c + 0.928 * s],
            [0.213 - 0.213 * c + 0.143 * s, 0.715 + 0.285 * c + 0.140 * s, 0.072 - 0.072 * c - 0.283 * s],
            [0.213 - 0.213 * c - 0.787 * s, 0.715 - 0.715 * c + 0.715 * s, 0.072 + 0.928 * c + 0.072 * s],
        ])
    }

    /// Returns this matrix followed by `next`.
    func then(_ next: ColorMatrix) -> ColorMatrix {
        ColorMatrix(rows: next.rows.map { row in (0..<3).map { column in (0..<3).reduce(0) { $0 + row[$1] * rows[$1][column] } } })
    }

    /// Returns a part of the effect, from nothing (0) to all of it (1).
    func mixed(_ amount: Double) -> ColorMatrix {
        ColorMatrix(rows: rows.enumerated().map { row, weights in weights.enumerated().map { $1 * amount + ($0 == row ? 1 - amount : 0) } })
    }

    /// - Parameter colors: three bands. The result is not yet rounded.
    func apply(to colors: VipsImage) throws(VipsError) -> VipsImage { try colors.mixed(rows) }
}
