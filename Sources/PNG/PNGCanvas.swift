/// The canvas for the frames of an animated PNG or GIF: samples of 8 bits, those of a pixel beside each other, alpha last. Pure; for pixel processes.
package struct PNGCanvas {
    package let width: Int
    package let height: Int
    /// The samples of a pixel: 1 or 3, and one more with alpha.
    package let channels: Int
    /// The samples of the whole canvas, row by row.
    package private(set) var samples: [UInt8]

    private var hasAlpha: Bool { channels % 2 == 0 }
    private var pitch: Int { width * channels }

    /// Makes an empty canvas: transparent, or black without alpha.
    package init(width: Int, height: Int, channels: Int) {
        (self.width, self.height, self.channels) = (width, height, channels)
        samples = [UInt8](repeating: 0, count: width * height * channels)
    }

    /// Draws a frame.
    /// - Parameters:
    ///   - frame: the samples of `window`, with the channels of the canvas.
    ///   - window: a window within the canvas.
    ///   - isOver: whether the frame is blended over the canvas; otherwise it replaces its area.
    /// - Returns: false for a frame of another size, or one outside of the canvas. Then nothing is drawn.
    package mutating func lay(_ frame: UnsafeRawBufferPointer, at window: PNGWindow, isOver: Bool) -> Bool {
        guard holds(window), frame.count == window.width * window.height * channels else { return false }
        let (row, pitch, channels) = (window.width * channels, pitch, channels)
        let blends = isOver && hasAlpha
        samples.withUnsafeMutableBytes { samples in
            for line in 0..<window.height {
                let target = UnsafeMutableRawBufferPointer(rebasing: samples[((window.y + line) * pitch + window.x * channels)...].prefix(row))
                let source = UnsafeRawBufferPointer(rebasing: frame[(line * row)..<(line + 1) * row])
                if blends { Self.blend(source, over: target, channels) } else { target.copyMemory(from: source) }
            }
        }
        return true
    }

    /// Lends the samples to a decoder that draws on them.
    package mutating func withSamples<R>(_ body: (UnsafeMutableRawBufferPointer) -> R) -> R { samples.withUnsafeMutableBytes(body) }

    /// Clears a window.
    package mutating func clear(_ window: PNGWindow) {
        guard holds(window) else { return }
        for line in 0..<window.height {
            let start = (window.y + line) * pitch + window.x * channels
            for at in start..<start + window.width * channels { samples[at] = 0 }
        }
    }

    /// Returns the samples of a window.
    package func part(_ window: PNGWindow) -> [UInt8] {
        holds(window) ? samples.withUnsafeBytes { window.cut(from: $0, pitch: pitch, pixel: channels) } : []
    }

    private func holds(_ window: PNGWindow) -> Bool {
        (0...width).contains(window.x) && (0...height).contains(window.y) && (1...max(1, width - window.x)).contains(window.width)
            && (1...max(1, height - window.y)).contains(window.height) && window.x < width && window.y < height
    }

    /// Blends a row over another (PNG specification, third edition, 13.16), rounded.
    private static func blend(_ source: UnsafeRawBufferPointer, over target: UnsafeMutableRawBufferPointer, _ channels: Int) {
        let colors = channels - 1
        for at in stride(from: 0, to: source.count, by: channels) {
            let above = Int(source[at + colors])
            if above == 0 { continue }
            let below = Int(target[at + colors])
            if above == 255 || below == 0 {
                for index in at...at + colors { target[index] = source[index] }
                continue
            }
            // Both shares as parts of 255².
            let (upper, lower) = (above * 255, (255 - above) * below)
            let sum = upper + lower
            for index in at..<at + colors { target[index] = UInt8((Int(source[index]) * upper + Int(target[index]) * lower + sum / 2) / sum) }
            target[at + colors] = UInt8((sum + 127) / 255)
        }
    }
}
