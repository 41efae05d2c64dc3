/// Counts the scans of a progressive JPEG that are there whole, while it arrives. Segments are walked by their lengths, so a thumbnail inside
/// one counts for nothing. Pure; each call reads on where the last one ended.
package struct JPEGScans: Sendable {
    /// Scans that were there to their end.
    package private(set) var complete = 0
    /// Whether the header of a scan is there: before, there is nothing that could be shown.
    package private(set) var hasBegun = false
    private var at = 2
    /// Where the last segment begins.
    private var segment = 0
    private var isInScan = false
    private var isOver = false

    package init() {}

    /// How many of the bytes that were read a decoder can make something of: one that finds the end within a table gives up, one that finds
    /// it within a scan or between segments shows what it has.
    /// - Parameter count: as many as were read last.
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
            // Stuffing and restarts belong to the scan around them.
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
