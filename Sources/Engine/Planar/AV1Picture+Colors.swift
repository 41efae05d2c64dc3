import TintypeImages

extension AV1Picture {
    /// Reads a picture with halved colors as red, green and blue. On each halved side a color is mixed from the two nearest samples, in the proportion 3 to 1.
    /// Browsers do the same (libyuv). The samples then lie between the pixels, as in JFIF 1.02. AV1 leaves their place open (6.4.2, CSP_UNKNOWN).
    /// - Returns: false if the picture differs from the file's header.
    func readColors(into pixels: UnsafeMutableRawBufferPointer, _ sampling: PlaneSampling) -> Bool {
        let size = sampling.size
        guard let planes = samples(sampling), pixels.count == size.width * size.height * 3 else { return false }
        let mix = ColorMix(isFullRange: sampling.isFullRange)
        let (count, isHalfHigh) = ((size.width + 1) / 2, sampling.components[0].vertical == 2)
        let last = (size.height - 1) / (isHalfHigh ? 2 : 1)
        var (blue, red) = ([Int32](repeating: 0, count: count), [Int32](repeating: 0, count: count))
        var at = 0
        for y in 0..<size.height {
            let near = isHalfHigh ? y / 2 : y
            let far = isHalfHigh ? min(max(0, near + (y % 2 == 0 ? -1 : 1)), last) : near
            for x in 0..<count {
                blue[x] = 3 * Int32(planes[1][near, x]) + Int32(planes[1][far, x])
                red[x] = 3 * Int32(planes[2][near, x]) + Int32(planes[2][far, x])
            }
            for x in 0..<size.width {
                let near = x / 2
                let far = min(max(0, near + (x % 2 == 0 ? -1 : 1)), count - 1)
                mix.write(planes[0][y, x], 3 * blue[near] + blue[far] - 2048, 3 * red[near] + red[far] - 2048, to: pixels, at)
                at += 3
            }
        }
        return true
    }

    /// The mix of red, green and blue from brightness and two colors (BT.601, as in AVIFCoding), in units of 1/65536.
    private struct ColorMix {
        private let brightness: [Int32]
        private let red: Int32
        private let greenOfRed: Int32
        private let greenOfBlue: Int32
        private let blue: Int32

        init(isFullRange: Bool) {
            let (least, range, colors) = isFullRange ? (0.0, 1.0, 1.0) : (16.0, 255 / 219.0, 255 / 224.0)
            brightness = (0...255).map { Int32(((Double($0) - least) * range * 65536).rounded()) + 32768 }
            // The sums are 16 times as large as a sample.
            func share(_ of: Double) -> Int32 { Int32((of * colors * 4096).rounded()) }
            (red, greenOfRed, greenOfBlue, blue) = (share(1.402), share(0.714136), share(0.344136), share(1.772))
        }

        func write(_ sample: UInt8, _ blueness: Int32, _ redness: Int32, to pixels: UnsafeMutableRawBufferPointer, _ at: Int) {
            let light = brightness[Int(sample)]
            func byte(_ value: Int32) -> UInt8 { UInt8(min(max(value >> 16, 0), 255)) }
            pixels[at] = byte(light + red * redness)
            pixels[at + 1] = byte(light - greenOfRed * redness - greenOfBlue * blueness)
            pixels[at + 2] = byte(light + blue * blueness)
        }
    }
}
