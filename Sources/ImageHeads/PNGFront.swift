package import TintypeImages

/// The chunks of a PNG in front of its pixels, by their names. Pure.
package struct PNGFront {
    private let reader: ByteReader
    private var places: [Int: [Range<Int>]] = [:]
    /// Whether pixels follow.
    package private(set) var isWhole = false

    /// The most chunks that are read. For a picture with more, the decoder is asked.
    private static let maxChunks = 1024

    package init(_ reader: ByteReader) {
        self.reader = reader
        var at = 8
        for _ in 0..<Self.maxChunks {
            guard let length = reader.big(at, 4), let kind = reader.big(at + 4, 4) else { return }
            isWhole = kind == ByteReader.code("IDAT")
            if isWhole { return }
            places[kind, default: []].append(at..<at + 12 + length)
            at += 12 + length
        }
    }

    /// Returns the place of the first chunk of a name.
    package subscript(_ name: StaticString) -> Range<Int>? { all(name).first }

    /// Returns the places of the chunks of a name, each with its length, name and checksum. The last end may lie beyond the last byte.
    package func all(_ name: StaticString) -> [Range<Int>] { places[ByteReader.code(name)] ?? [] }

    /// Returns the numbers of a chunk of `count` numbers with `bytes` bytes each.
    private func numbers(_ name: StaticString, _ count: Int, of bytes: Int) -> [Int]? {
        guard let place = self[name], place.count == 12 + count * bytes else { return nil }
        let numbers = (0..<count).compactMap { reader.big(place.lowerBound + 8 + $0 * bytes, bytes) }
        return numbers.count == count ? numbers : nil
    }

    /// Whether the file states the pixels per meter.
    package var hasDensity: Bool {
        // The unit: meters, or none.
        self["pHYs"].map { reader.byte($0.lowerBound + 16) == 1 } ?? false
    }

    /// The colors by the chunk cICP, which counts before all others (PNG, third edition, 4.3).
    package var colors: CodedColors? {
        numbers("cICP", 4, of: 1).map { CodedColors(primaries: $0[0], transfer: $0[1], matrix: $0[2], isFullRange: $0[3] != 0) }
    }

    /// The exponent from light to numbers, times 100,000.
    package var gamma: Int? { numbers("gAMA", 1, of: 4)?[0] }
    /// x and y of white, red, green and blue (CIE 1931), times 100,000.
    package var chromaticities: [Int]? { numbers("cHRM", 8, of: 4) }
}
