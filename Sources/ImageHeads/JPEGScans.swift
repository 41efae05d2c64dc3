/// Counts the complete scans of a progressive JPEG while it arrives. Segments are walked by their lengths, so that a thumbnail inside a segment
/// does not count. Pure; each call continues where the last one ended.
package struct JPEGScans: Sendable {
    /// The number of complete scans.
    package private(set) var complete = 0
    /// Whether the header of a scan is there. Before it nothing can be shown.
    package private(set) var hasBegun = false
    private var at = 2
    /// The start of the last segment.
    private var segment = 0
    private var isInScan = false
    private var isOver = false

    package init() {}

    /// Returns the number of bytes that a decoder can use. A decoder gives up if the file ends within a table, but shows the picture if it ends
    /// within a scan or between segments.
    /// - Parameter count: the number of bytes that were read last.
    package func readable(of count: Int) -> Int { !isOver && (at > count || at == segment) ? segment : count }

    /// - Parameter bytes: the file from its beginning, as far as it is there.
    package mutating func read(_ bytes: UnsafeRawBufferPointer) {
        hasBegun = hasBegun || isInScan && at <= bytes.count
        while !isOver, at + 1 < bytes.count {
            guard bytes[at] == 0xff, bytes[at + 1] != 0xff else {
                at += 1
                continue
            }
            let marker = bytes[at + 1]
            switch marker {
            // Stuffing and restart markers belong to the scan around them.
            case 0x00, 0x01, 0xd0...0xd8:
                at += 2
            case 0xd9:
                endScan()
                isOver = true
            default:
                endScan()
                segment = at
                guard at + 4 <= bytes.count else { return }
                let length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
                isOver = length < 2
                at += 2 + length
                isInScan = marker == 0xda
                hasBegun = hasBegun || isInScan && at <= bytes.count
            }
        }
    }

    private mutating func endScan() {
        if isInScan { complete += 1 }
        isInScan = false
    }
}
