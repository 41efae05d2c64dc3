package import ImageHeads
package import TintypeImages

/// The pixels of one frame of a GIF (GIF89a, 22 and appendix F). Nothing is read beyond the end of the file. Pure; for pixel processes.
package struct GIFPixels {
    private let reader: ByteReader
    private let frame: GIFFrame
    /// Red, green, blue and 255 for each number; zeros for the transparent one, which leaves the pixel as it is.
    private let palette: [SIMD4<UInt8>]
    private let isOpaque: Bool

    package enum End: Sendable, Hashable {
        case whole
        /// The data end before the last pixel. The remaining pixels are as they were, as browsers show them.
        case early
        /// The data contain a code that cannot be.
        case broken
        case stopped
    }

    package init(_ reader: ByteReader, _ frame: GIFFrame) {
        (self.reader, self.frame) = (reader, frame)
        let count = max(0, min(frame.colors.upperBound, reader.count) - frame.colors.lowerBound) / 3
        var palette = (0..<min(256, count)).map { number in
            let at = frame.colors.lowerBound + 3 * number
            return SIMD4<UInt8>(reader.bytes[at], reader.bytes[at + 1], reader.bytes[at + 2], 255)
        }
        // As in Chromium, a number without a color is black.
        palette += Array(repeating: SIMD4(0, 0, 0, 255), count: 256 - palette.count)
        if let transparent = frame.transparent { palette[transparent] = SIMD4() }
        self.palette = palette
        isOpaque = frame.transparent == nil
    }

    /// Draws the frame on a screen of this size.
    /// - Parameters:
    ///   - samples: the pixels of the screen, with three or four samples each.
    ///   - goesOn: called with the progress, 0…1; false stops the drawing.
    package func draw(
        on samples: UnsafeMutableRawBufferPointer, width: Int, height: Int, channels: Int, goesOn: (Double) -> Bool
    ) -> End {
        guard samples.count == width * height * channels, var codes = GIFCodes(reader, frame.data) else { return .broken }
        guard frame.width > 0, frame.height > 0 else { return .whole }
        // The numbers that are not drawn yet: less than a row, and those of one code.
        let line = UnsafeMutablePointer<UInt8>.allocate(capacity: frame.width + GIFCodes.most)
        defer { line.deallocate() }
        var rows = GIFRows(height: frame.height, isInterlaced: frame.isInterlaced)
        var (held, unpacked) = (0, 0)
        while let code = codes.next() {
            let length = codes.unpack(code, into: line + held)
            (held, unpacked) = (held + length, unpacked + length)
            if unpacked >= Self.look {
                unpacked = 0
                guard goesOn(Double(rows.done) / Double(frame.height)) else { return .stopped }
            }
            guard held >= frame.width else { continue }
            var start = 0
            while held - start >= frame.width {
                put(line + start, frame.width, frame.y + rows.y, samples, width, height, channels)
                start += frame.width
                if !rows.next() { return .whole }
            }
            held -= start
            line.update(from: line + start, count: held)
        }
        put(line, held, frame.y + rows.y, samples, width, height, channels)
        return codes.isBroken ? .broken : .early
    }

    /// Draws numbers from the left side of the frame on, as far as the screen goes.
    private func put(
        _ numbers: UnsafeMutablePointer<UInt8>, _ count: Int, _ y: Int, _ samples: UnsafeMutableRawBufferPointer, _ width: Int, _ height: Int, _ channels: Int
    ) {
        guard y < height, frame.x < width else { return }
        let count = min(count, width - frame.x)
        var to = (y * width + frame.x) * channels
        palette.withUnsafeBufferPointer { palette in
            // All bytes of a color at once, also the one that belongs to the next pixel, which comes next.
            let quick = isOpaque ? (channels == 4 ? count : count - 1) : 0
            for index in 0..<max(0, quick) {
                samples.storeBytes(of: palette[Int(numbers[index])], toByteOffset: to, as: SIMD4<UInt8>.self)
                to += channels
            }
            for index in max(0, quick)..<count {
                let color = palette[Int(numbers[index])]
                if color.w != 0 {
                    if channels == 4 {
                        samples.storeBytes(of: color, toByteOffset: to, as: SIMD4<UInt8>.self)
                    } else {
                        (samples[to], samples[to + 1], samples[to + 2]) = (color.x, color.y, color.z)
                    }
                }
                to += channels
            }
        }
    }

    /// The pixels between two calls of `goesOn`.
    private static let look = 1 << 16
}

/// The order of the rows in the data (GIF89a, appendix E).
private struct GIFRows {
    let height: Int
    private(set) var y = 0
    private(set) var done = 0
    private var step: Int
    private var pass = 0

    init(height: Int, isInterlaced: Bool) { (self.height, step) = (height, isInterlaced ? 8 : 1) }

    /// - Returns: false behind the last row.
    mutating func next() -> Bool {
        (y, done) = (y + step, done + 1)
        while y >= height, done < height {
            pass += 1
            step = 16 >> pass
            y = step / 2
        }
        return done < height
    }
}
