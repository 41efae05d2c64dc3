import Glibc

/// ThumbHash (evanw.github.io/thumbhash): a picture with its alpha and its shape in about 25 bytes.
struct ThumbHash {
    let bytes: [UInt8]

    /// - Parameter raster: more than 100 × 100 pixels are slower and no better.
    init(of raster: PixelRaster) {
        let (width, height) = (raster.width, raster.height)
        var average = SIMD3<Double>()
        var opacity = 0.0
        for index in 0..<raster.count {
            let pixel = raster[index]
            average += SIMD3(pixel.red, pixel.green, pixel.blue) * (pixel.alpha / 255 / 255)
            opacity += pixel.alpha / 255
        }
        if opacity > 0 { average /= opacity }
        let hasAlpha = opacity < Double(raster.count)
        let most = hasAlpha ? 5.0 : 7.0
        let longest = Double(max(width, height))
        let lightX = max(1, Int((most * Double(width) / longest).rounded()))
        let lightY = max(1, Int((most * Double(height) / longest).rounded()))
        // Lightness, yellow against blue, red against green, alpha. Transparent parts show the average.
        var planes = [[Double]](repeating: [], count: 4)
        for index in 0..<raster.count {
            let pixel = raster[index]
            let alpha = pixel.alpha / 255
            let color = average * (1 - alpha) + SIMD3(pixel.red, pixel.green, pixel.blue) * (alpha / 255)
            planes[0].append((color.x + color.y + color.z) / 3)
            planes[1].append((color.x + color.y) / 2 - color.z)
            planes[2].append(color.x - color.y)
            planes[3].append(alpha)
        }
        let light = Channel(planes[0], width, height, max(3, lightX), max(3, lightY))
        let yellow = Channel(planes[1], width, height, 3, 3)
        let red = Channel(planes[2], width, height, 3, 3)
        let alpha = hasAlpha ? Channel(planes[3], width, height, 5, 5) : nil
        func round(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }
        let isLandscape = width > height
        let first =
            round(63 * light.constant) | round(31.5 + 31.5 * yellow.constant) << 6 | round(31.5 + 31.5 * red.constant) << 12
            | round(31 * light.scale) << 18 | (hasAlpha ? 1 << 23 : 0)
        let second = (isLandscape ? lightY : lightX) | round(63 * yellow.scale) << 3 | round(63 * red.scale) << 9 | (isLandscape ? 1 << 15 : 0)
        var bytes = [first, first >> 8, first >> 16, second, second >> 8].map { UInt8($0 & 255) }
        if let alpha { bytes.append(UInt8(round(15 * alpha.constant) | round(15 * alpha.scale) << 4)) }
        let steps = [light, yellow, red, alpha].compactMap(\.self).flatMap(\.varying).map { UInt8(round(15 * $0)) }
        for at in stride(from: 0, to: steps.count, by: 2) { bytes.append(steps[at] | (at + 1 < steps.count ? steps[at + 1] << 4 : 0)) }
        self.bytes = bytes
    }

    /// One plane as cosines: the constant one, and the others scaled from −scale…scale to 0…1.
    private struct Channel {
        var constant = 0.0
        var scale = 0.0
        var varying: [Double] = []

        init(_ plane: [Double], _ width: Int, _ height: Int, _ columns: Int, _ rows: Int) {
            for row in 0..<rows {
                for column in 0..<columns where column * rows < columns * (rows - row) {
                    let turn: Double = .pi / Double(width) * Double(column)
                    let across = (0..<width).map { cos(turn * (Double($0) + 0.5)) }
                    var factor = 0.0
                    for y in 0..<height {
                        let down = cos(.pi / Double(height) * Double(row) * (Double(y) + 0.5))
                        for x in 0..<width { factor += plane[x + y * width] * across[x] * down }
                    }
                    factor /= Double(width * height)
                    if column == 0, row == 0 {
                        constant = factor
                    } else {
                        varying.append(factor)
                        scale = max(scale, abs(factor))
                    }
                }
            }
            if scale > 0 { for index in varying.indices { varying[index] = 0.5 + 0.5 / scale * varying[index] } }
        }
    }
}
