package import TintypeImages

/// The pixels of a bitmap of X, as one sample of 8 bits: black where a bit is set, white elsewhere. Pure; for pixel processes.
package struct XBMPixels {
    private let text: XBMText

    package var byteCount: Int { text.width * text.height }

    package init(_ text: XBMText) { self.text = text }

    /// Writes the samples, from the upper row on.
    /// - Returns: whether all numbers are there. The pixels of the others are white.
    package func read(into samples: UnsafeMutableRawBufferPointer) -> Bool {
        guard samples.count == byteCount else { return false }
        let bytes = samples.bindMemory(to: UInt8.self)
        bytes.update(repeating: 255)
        var text = text
        for row in 0..<text.height {
            for left in stride(from: 0, to: text.width, by: text.bits) {
                guard let number = text.number() else { return false }
                for x in left..<min(left + text.bits, text.width) where number >> (x - left) & 1 == 1 { bytes[row * text.width + x] = 0 }
            }
        }
        return true
    }
}
