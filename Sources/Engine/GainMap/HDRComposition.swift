import Glibc
import ImageHeads
import PNG
import TintypeImages

/// A base picture with its gain map at full weight: the HDR picture, in BT.2020 and PQ (ITU-R BT.2100), with the base's white at `ToneMap.white`.
///
/// The light of the base is changed in its own primaries, as the map was made (Adobe, Gain Map 1.0; Google, Ultra HDR 1.1). Everything is a pipeline of
/// libvips, so that large pictures stream.
enum HDRComposition {
    /// BT.2020 and PQ.
    static let colors = CodedColors(primaries: 9, transfer: 16, matrix: 9, isFullRange: true)

    /// - Parameters:
    ///   - base: of 8 bits, with the curve of sRGB and these primaries.
    ///   - map: the map with as many pixels, of 16 bits.
    /// - Returns: a picture of 16 bits.
    static func picture(_ base: VipsImage, _ primaries: WideProfile.Primaries, map: VipsImage, _ numbers: GainMapNumbers) throws(VipsError) -> VipsImage {
        let colors = try ColorBands(base, asRGB: true).colors
        let lifted = try mapped(colors, numbers, 256) { value, channel in SRGBCurve.light(of: value) + numbers.offsetSDR[channel] }
        let factors = try mapped(map, numbers, 65536) { value, channel in factor(value, numbers, channel) }
        return try coded(lifted.times(factors).linear([1, 1, 1], numbers.offsetHDR.map { -$0 }).mixed(primaries.inBT2020))
    }

    /// Returns the PNG with the chunk of its colors, as RGB of the full range, behind its header; unchanged if memory is missing.
    static func stated(_ colors: CodedColors, in file: VipsBytes) -> VipsBytes {
        let chunk = PNGChunk.whole("cICP", [UInt8(colors.primaries), UInt8(colors.transfer), 0, 1])
        return file.count < PNGChunk.afterHeader ? file : file.with(chunk, at: PNGChunk.afterHeader)
    }

    /// Returns the factor of the light of one color for a number of the map, 0…1.
    static func factor(_ value: Double, _ numbers: GainMapNumbers, _ channel: Int) -> Double {
        let share = pow(value, 1 / numbers.gamma[channel])
        return exp2(numbers.minimum[channel] * (1 - share) + numbers.maximum[channel] * share)
    }

    /// Maps whole numbers by a table.
    private static func mapped(_ image: VipsImage, _ numbers: GainMapNumbers, _ count: Int, _ value: (Double, Int) -> Double) throws(VipsError) -> VipsImage {
        let tables = try (numbers.isUniform ? 0...0 : 0...2).map { channel throws(VipsError) in
            try VipsImage.matrix([(0..<count).map { value(Double($0) / Double(count - 1), channel) }])
        }
        let table = try tables.count == 1 ? tables[0] : VipsImage.joined(tables)
        return try VipsOperation("maplut").set("in", image).set("lut", table.cast(.float)).image()
    }

    /// Codes light, of which 1 is the white of SDR, in 16 bits of PQ (SMPTE ST 2084).
    private static func coded(_ light: VipsImage) throws(VipsError) -> VipsImage {
        func power(_ image: VipsImage, _ exponent: Double) throws(VipsError) -> VipsImage {
            try VipsOperation("math2_const").set("in", image).set("math2", 0).set("c", [exponent]).image()
        }
        // A cast to whole numbers is the clamp. Nothing else here takes each pixel only once.
        let whole = try light.linear(ToneMap.white / ToneMap.brightest * fine).cast(.uint32)
        let root = try power(whole.linear(1 / fine), ToneMap.m1)
        // (c1 + c2 x) / (1 + c3 x), written with x once.
        let bent = try power(root.linear(ToneMap.c3, 1), -1).linear(ToneMap.c1 - ToneMap.c2 / ToneMap.c3, ToneMap.c2 / ToneMap.c3)
        return try power(bent, ToneMap.m2).linear(65535, 0.5).cast(.uint16).tagged(.rgb16)
    }

    /// The steps of light from nothing to 10,000 cd/m², fine enough for the first steps of PQ.
    private static let fine = 2_147_483_648.0
}

extension WideProfile.Primaries {
    /// The matrix from light in these primaries to light in BT.2020 (ITU-R BT.2087 for those of sRGB).
    fileprivate var inBT2020: [[Double]] {
        switch self {
        case .bt2020: ColorMatrix.identity.rows
        case .displayP3: [[0.753833, 0.198597, 0.047570], [0.045744, 0.941777, 0.012479], [-0.001210, 0.017602, 0.983609]]
        case .sRGB: [[0.627404, 0.329283, 0.043313], [0.069097, 0.919540, 0.011362], [0.016391, 0.088013, 0.895595]]
        }
    }
}
