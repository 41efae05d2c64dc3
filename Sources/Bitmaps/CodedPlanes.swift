package import ImageHeads

/// A decoded picture in memory: brightness and two planes of color, or gray. Pure; the planes are lent, and read only within their size.
package struct CodedPlanes {
    /// One plane, row by row.
    package struct Plane {
        let samples: UnsafeRawBufferPointer
        /// The bytes from one row to the next.
        let stride: Int

        /// - Returns: nil if the memory holds less than these rows.
        package init?(_ samples: UnsafeRawBufferPointer, stride: Int, width: Int, height: Int, depth: Int) {
            let row = width * (depth > 8 ? 2 : 1)
            guard width > 0, height > 0, stride >= row, samples.count >= stride * (height - 1) + row else { return nil }
            (self.samples, self.stride) = (samples, stride)
        }
    }

    package let width, height: Int
    /// The bits of a sample: 8 to 16. Above 8, a sample takes two bytes in the machine's order.
    package let depth: Int
    private let planes: [Plane]
    /// Whether the planes of color are half as wide, or half as high, rounded up.
    private let isHalfWide, isHalfHigh: Bool

    package init(width: Int, height: Int, depth: Int, isHalfWide: Bool = false, isHalfHigh: Bool = false, planes: [Plane]) {
        (self.width, self.height, self.depth, self.planes) = (width, height, depth, planes)
        (self.isHalfWide, self.isHalfHigh) = (isHalfWide, isHalfHigh)
    }

    /// The shares of red and blue in the brightness (ITU-T H.273, table 4); nil for a matrix that is not read here.
    package static func shares(_ matrix: Int) -> (red: Float, blue: Float)? {
        switch matrix {
        case 1: (0.2126, 0.0722)
        case 4: (0.30, 0.11)
        // As browsers do, an unspecified one is taken for BT.601.
        case 2, 5, 6: (0.299, 0.114)
        case 7: (0.212, 0.087)
        case 9: (0.2627, 0.0593)
        // Unmixed: green, blue and red.
        case 0: (0, 0)
        default: nil
        }
    }

    /// Writes red, green and blue of 8 bits, rounded, to the first three of each pixel's channels.
    /// - Parameter pixels: the memory for all pixels, row by row.
    /// - Returns: false if the colors are not read here, or the memory has another size.
    package func draw(on pixels: UnsafeMutableRawBufferPointer, channels: Int, _ colors: CodedColors) -> Bool {
        guard let shares = Self.shares(colors.matrix), channels >= 3, pixels.count == width * height * channels, planes.count == 1 || planes.count == 3 else {
            return false
        }
        let scale = Scale(depth: depth, isFullRange: colors.isFullRange)
        let isGray = planes.count == 1, isPlain = colors.matrix == 0 && !isGray
        let green = 1 - shares.red - shares.blue
        let (red, blue) = (2 * (1 - shares.red), 2 * (1 - shares.blue))
        let (greenOfRed, greenOfBlue) = (red * shares.red / green, blue * shares.blue / green)
        var (first, second, third) = (row, row, row)
        for y in 0..<height {
            read(0, y, into: &first)
            if !isGray {
                readColor(1, y, into: &second)
                readColor(2, y, into: &third)
            }
            for x in 0..<width {
                let at = (y * width + x) * channels
                let light = scale.light(first[x])
                var (r, g, b) = (light, light, light)
                if isPlain {
                    (r, b) = (scale.light(third[x]), scale.light(second[x]))
                } else if !isGray {
                    let (u, v) = (scale.color(second[x]), scale.color(third[x]))
                    (r, g, b) = (light + red * v, light - greenOfBlue * u - greenOfRed * v, light + blue * u)
                }
                (pixels[at], pixels[at + 1], pixels[at + 2]) = (Self.byte(r), Self.byte(g), Self.byte(b))
            }
        }
        return true
    }

    /// Writes the brightness, in 8 bits, to the last of each pixel's channels.
    package func drawMask(on pixels: UnsafeMutableRawBufferPointer, channels: Int, isFullRange: Bool) -> Bool {
        guard pixels.count == width * height * channels, !planes.isEmpty else { return false }
        let scale = Scale(depth: depth, isFullRange: isFullRange)
        var row = self.row
        for y in 0..<height {
            read(0, y, into: &row)
            for x in 0..<width { pixels[(y * width + x + 1) * channels - 1] = Self.byte(scale.light(row[x])) }
        }
        return true
    }

    private var row: [Float] { [Float](repeating: 0, count: width) }

    private static func byte(_ value: Float) -> UInt8 { UInt8(max(0, min(255, value)).rounded()) }

    /// The meaning of a sample, 0…255 for brightness and ±127.5 for colors (ITU-T H.273, 8.3).
    private struct Scale {
        let black, light, middle, color: Float

        init(depth: Int, isFullRange: Bool) {
            let unit = Float(1 << (depth - 8)), most = Float(1 << depth - 1)
            (black, middle) = (isFullRange ? 0 : 16 * unit, 128 * unit)
            (light, color) = (255 / (isFullRange ? most : 219 * unit), 255 / (isFullRange ? most : 224 * unit))
        }

        func light(_ sample: Float) -> Float { (sample - black) * light }
        func color(_ sample: Float) -> Float { (sample - middle) * color }
    }

    private func read(_ plane: Int, _ y: Int, into row: inout [Float]) {
        let (samples, start) = (planes[plane].samples, y * planes[plane].stride)
        if depth > 8 {
            for x in row.indices { row[x] = Float(samples.loadUnaligned(fromByteOffset: start + 2 * x, as: UInt16.self)) }
        } else {
            for x in row.indices { row[x] = Float(samples[start + x]) }
        }
    }

    /// Reads a row of color at the resolution of the brightness. Samples lie in the middle of what they cover, and those between are mixed 3 to 1.
    private func readColor(_ plane: Int, _ y: Int, into row: inout [Float]) {
        var near = [Float](repeating: 0, count: isHalfWide ? (width + 1) / 2 : width)
        let own = isHalfHigh ? y / 2 : y
        read(plane, own, into: &near)
        let other = own + (y % 2 == 0 ? -1 : 1)
        if isHalfHigh, other >= 0, other < (height + 1) / 2 {
            var far = near
            read(plane, other, into: &far)
            for x in near.indices { near[x] = (3 * near[x] + far[x]) / 4 }
        }
        for x in 0..<width {
            guard isHalfWide else {
                row[x] = near[x]
                continue
            }
            let far = min(max(0, x / 2 + (x % 2 == 0 ? -1 : 1)), near.count - 1)
            row[x] = (3 * near[x / 2] + near[far]) / 4
        }
    }
}
