/// The brightness of a picture, a byte a pixel, and its likeness to that of another picture. Pure.
struct Brightness {
    let size: PictureSize
    private let samples: [UInt8]

    /// - Parameter samples: row by row.
    init(_ size: PictureSize, _ samples: [UInt8]) {
        precondition(samples.count == size.width * size.height)
        (self.size, self.samples) = (size, samples)
    }

    /// Reads gray or red, green and blue (BT.601), with or without transparency. A transparent pixel counts as dark as it is transparent: its color is not
    /// seen.
    /// - Parameters:
    ///   - numbers: the bands of each pixel beside each other.
    ///   - bytes: the bytes of a number: 1, or 2 of which the higher one counts.
    /// - Returns: nil for another number of bands.
    init?(_ size: PictureSize, _ numbers: UnsafeRawBufferPointer, bands: Int, bytes: Int) {
        guard (1...4).contains(bands), (1...2).contains(bytes), numbers.count == size.width * size.height * bands * bytes else { return nil }
        let step = bands * bytes
        self.size = size
        samples = [UInt8](unsafeUninitializedCapacity: size.width * size.height) { samples, count in
            count = size.width * size.height
            // The second of two bytes is the higher one.
            var at = bytes - 1
            for index in 0..<count {
                var value = UInt32(numbers[at])
                if bands > 2 { value = (77 * value + 150 * UInt32(numbers[at + bytes]) + 29 * UInt32(numbers[at + 2 * bytes]) + 128) >> 8 }
                if bands == 2 || bands == 4 { value = (value * UInt32(numbers[at + (bands - 1) * bytes]) + 127) / 255 }
                samples[index] = UInt8(truncatingIfNeeded: value)
                at += step
            }
        }
    }

    /// Returns the structural similarity (SSIM; Wang, Bovik, Sheikh and Simoncelli, 2004): the mean over all windows of 8 × 8 pixels, 1 for equal pictures.
    /// A window is moved along the sums of its columns, so that its size costs nothing.
    /// - Returns: nil for pictures of two sizes.
    func likeness(to other: Brightness) -> Double? {
        guard size == other.size, !samples.isEmpty else { return nil }
        return samples.withUnsafeBufferPointer { own in other.samples.withUnsafeBufferPointer { Self.similarity(own, $0, size) } }
    }

    /// The sums over a window, or over a column of it.
    private struct Sums {
        var own: Int32 = 0
        var other: Int32 = 0
        /// The squares of both.
        var squares: Int32 = 0
        var products: Int32 = 0

        init() {}

        /// Makes those of one pixel.
        init(_ a: UInt8, _ b: UInt8) {
            (own, other) = (Int32(a), Int32(b))
            (squares, products) = (own &* own &+ other &* other, own &* other)
        }

        static func += (sums: inout Sums, column: Sums) {
            sums.own &+= column.own
            sums.other &+= column.other
            sums.squares &+= column.squares
            sums.products &+= column.products
        }

        static func -= (sums: inout Sums, column: Sums) {
            sums.own &-= column.own
            sums.other &-= column.other
            sums.squares &-= column.squares
            sums.products &-= column.products
        }
    }

    private static func similarity(_ own: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>, _ size: PictureSize) -> Double {
        let (across, down) = (min(8, size.width), min(8, size.height))
        let pixels = Int32(across * down)
        // All numbers are those of the paper times the squared number of pixels, because whole numbers do not round.
        let scale = Float(pixels) * Float(pixels)
        let (near, deep) = (0.01 * 0.01 * 255 * 255 * scale, 0.03 * 0.03 * 255 * 255 * scale)
        var columns = [Sums](repeating: Sums(), count: size.width)
        var total = 0.0
        columns.withUnsafeMutableBufferPointer { columns in
            for y in 0..<size.height {
                let line = y * size.width
                for x in 0..<size.width { columns[x] += Sums(own[line + x], other[line + x]) }
                if y >= down {
                    let left = line - down * size.width
                    for x in 0..<size.width { columns[x] -= Sums(own[left + x], other[left + x]) }
                }
                guard y >= down - 1 else { continue }
                var window = Sums()
                var sum: Float = 0
                for x in 0..<size.width {
                    window += columns[x]
                    if x >= across { window -= columns[x - across] }
                    guard x >= across - 1 else { continue }
                    let (product, means) = (window.own &* window.other, window.own &* window.own &+ window.other &* window.other)
                    let shared = Float(pixels &* window.products &- product), spread = Float(pixels &* window.squares &- means)
                    sum += (2 * Float(product) + near) * (2 * shared + deep) / ((Float(means) + near) * (spread + deep))
                }
                total += Double(sum)
            }
        }
        return total / Double((size.width - across + 1) * (size.height - down + 1))
    }
}
