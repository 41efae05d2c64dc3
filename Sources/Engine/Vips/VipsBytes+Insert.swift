import Glibc

extension VipsBytes {
    /// Copies a file with other bytes in some places.
    /// - Parameter changes: in the order of their places, which lie within the file and apart.
    /// - Returns: nil if there is no memory for the copy.
    convenience init?(copying file: UnsafeRawBufferPointer, _ changes: [(place: Range<Int>, instead: [UInt8])]) {
        let count = changes.reduce(file.count) { $0 - $1.place.count + $1.instead.count }
        guard let memory = malloc(max(1, count)) else { return nil }
        let copy = UnsafeMutableRawBufferPointer(start: memory, count: count)
        var (from, to) = (0, 0)
        for change in changes + [(file.count..<file.count, [])] {
            UnsafeMutableRawBufferPointer(rebasing: copy[to...]).copyBytes(from: file[from..<change.place.lowerBound])
            to += change.place.lowerBound - from
            UnsafeMutableRawBufferPointer(rebasing: copy[to...]).copyBytes(from: change.instead)
            (from, to) = (change.place.upperBound, to + change.instead.count)
        }
        self.init(adopting: copy)
    }

    /// Returns the bytes with others put in.
    /// - Parameters:
    ///   - at: the place of `inserted`, within these bytes.
    ///   - end: more bytes behind the last one.
    /// - Returns: these bytes unchanged if there is no memory for all.
    func with(_ inserted: [UInt8], at: Int, end: [UInt8] = []) -> VipsBytes {
        withBytes { VipsBytes(copying: $0, [(at..<at, inserted), ($0.count..<$0.count, end)]) } ?? self
    }
}
