/// The operations of libvips that most steps use. Nothing is computed yet, and numbers become floats where the operation needs them.
extension VipsImage {
    /// Returns each number times `a` plus `b`, by one pair for all bands or one for each.
    func linear(_ a: [Double], _ b: [Double]) throws(VipsError) -> VipsImage {
        try VipsOperation("linear").set("in", self).set("a", a).set("b", b).image()
    }
    func linear(_ a: Double, _ b: Double = 0) throws(VipsError) -> VipsImage { try linear([a], [b]) }

    func plus(_ other: VipsImage) throws(VipsError) -> VipsImage { try VipsOperation("add").set("left", self).set("right", other).image() }
    func minus(_ other: VipsImage) throws(VipsError) -> VipsImage { try VipsOperation("subtract").set("left", self).set("right", other).image() }
    func times(_ other: VipsImage) throws(VipsError) -> VipsImage { try VipsOperation("multiply").set("left", self).set("right", other).image() }
    /// A number divided by zero becomes zero.
    func divided(by other: VipsImage) throws(VipsError) -> VipsImage { try VipsOperation("divide").set("left", self).set("right", other).image() }

    /// Returns some of the bands.
    func band(_ first: Int, count: Int = 1) throws(VipsError) -> VipsImage {
        try VipsOperation("extract_band").set("in", self).set("band", first).set("n", count).image()
    }
    /// Computes the least number of the last band.
    func leastAlpha() throws(VipsError) -> Double { try VipsOperation("min").set("in", band(bands - 1)).numbers("out-array").first ?? format.white }
    static func joined(_ images: [VipsImage]) throws(VipsError) -> VipsImage { try VipsOperation("bandjoin").set("in", images).image() }
    /// Returns red, green and blue mixed: one row of weights for each band of the result.
    func mixed(_ rows: [[Double]]) throws(VipsError) -> VipsImage { try VipsOperation("recomb").set("in", self).set("m", VipsImage.matrix(rows)).image() }

    /// Converts the numbers, clamped and not rounded.
    func cast(_ format: VipsBandFormat) throws(VipsError) -> VipsImage {
        try VipsOperation("cast").set("in", self).set("format", Int(format.rawValue)).image()
    }
    func converted(to space: VipsColors) throws(VipsError) -> VipsImage {
        try VipsOperation("colourspace").set("in", self).set("space", Int(space.rawValue)).image()
    }
    /// Gives the numbers another meaning.
    func tagged(_ space: VipsColors) throws(VipsError) -> VipsImage {
        try VipsOperation("copy").set("in", self).set("interpretation", Int(space.rawValue)).image()
    }

    /// - Parameter most: the number for opaque; nil: by the meaning of the numbers.
    func premultiplied(_ most: Double? = nil) throws(VipsError) -> VipsImage { try weighted("premultiply", most) }
    func unpremultiplied(_ most: Double? = nil) throws(VipsError) -> VipsImage { try weighted("unpremultiply", most) }

    private func weighted(_ operation: String, _ most: Double?) throws(VipsError) -> VipsImage {
        var call = try VipsOperation(operation).set("in", self)
        if let most { call = call.set("max-alpha", most) }
        return try call.image()
    }
}
