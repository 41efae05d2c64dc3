import Glibc

extension VipsBytes {
    /// Returns the bytes with others put in.
    /// - Parameters:
    ///   - at: the place of `inserted`, within these bytes.
    ///   - end: more bytes behind the last one.
    /// - Returns: these bytes unchanged if there is no memory for all.
    func with(_ inserted: [UInt8], at: Int, end: [UInt8] = []) -> VipsBytes {
        let whole: UnsafeMutableRawBufferPointer? = withBytes { bytes in
            let count = bytes.count + inserted.count + end.count
            guard let memory = malloc(count) else { return nil }
            let whole = UnsafeMutableRawBufferPointer(start: memory, count: count)
            whole.copyBytes(from: bytes[..<at])
            UnsafeMutableRawBufferPointer(rebasing: whole[at...]).copyBytes(from: inserted)
            UnsafeMutableRawBufferPointer(rebasing: whole[(at + inserted.count)...]).copyBytes(from: bytes[at...])
            UnsafeMutableRawBufferPointer(rebasing: whole[(bytes.count + inserted.count)...]).copyBytes(from: end)
            return whole
        }
        return whole.map { VipsBytes(adopting: $0) } ?? self
    }
}
