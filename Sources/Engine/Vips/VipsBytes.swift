import CVips

/// The bytes that an encoder wrote, in its own memory until this object is released.
package final class VipsBytes {
    let area: UnsafeMutablePointer<VipsArea>

    init(adopting area: UnsafeMutablePointer<VipsArea>) { self.area = area }
    /// - Parameter bytes: memory of malloc, freed with this object.
    init(adopting bytes: UnsafeMutableRawBufferPointer) {
        area = vips_area_new(
            { memory, _ in
                g_free(memory)
                return 0
            }, bytes.baseAddress)
        area.pointee.length = bytes.count
    }
    /// - Returns: nil if there is no memory for a copy.
    convenience init?(copying bytes: [UInt8]) {
        guard let memory = malloc(max(1, bytes.count)) else { return nil }
        let copy = UnsafeMutableRawBufferPointer(start: memory, count: bytes.count)
        copy.copyBytes(from: bytes)
        self.init(adopting: copy)
    }
    deinit { vips_area_unref(area) }

    package var count: Int { area.pointee.length }
    /// The bytes, valid during `body`.
    package func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: area.pointee.data, count: area.pointee.length))
    }
    package func copied() -> [UInt8] { withBytes { [UInt8]($0) } }

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
