package import TintypeImages

/// The segments of a JPEG before its first scan that state a length, in their order. Pure: nothing outside of the bytes is read.
package struct JPEGSegments: Sequence, IteratorProtocol {
    package struct Segment: Hashable {
        /// The second byte of the marker.
        package let marker: Int
        /// The bytes behind the length. The marker and the length take four bytes before them.
        package let content: Range<Int>
    }

    private let reader: ByteReader
    private var at = 2
    /// Whether the first scan follows the segments so far.
    private(set) var isAtScan = false

    /// - Returns: nil if the bytes do not begin as a JPEG does.
    package init?(_ reader: ByteReader) {
        guard reader.big(0, 2) == 0xffd8 else { return nil }
        self.reader = reader
    }

    package mutating func next() -> Segment? {
        while let marker = JPEGHeader.marker(reader, &at) {
            switch marker {
            case 0x00, 0x01, 0xd0...0xd8: continue
            case 0xd9, 0xda:
                isAtScan = marker == 0xda
                return nil
            default:
                guard let length = reader.big(at, 2), length >= 2, at + length <= reader.count else { return nil }
                defer { at += length }
                return Segment(marker: marker, content: at + 2..<at + length)
            }
        }
        return nil
    }

    /// Returns the bytes of a segment, with its marker and its length.
    /// - Parameter content: at most 65,533 bytes.
    package static func bytes(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] { [0xff, marker] + BigEndian.bytes(2 + content.count, 2) + content }
}
