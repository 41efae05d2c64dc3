/// The meaning of a `Range` header for a body of known length (RFC 9110 §14). Pure.
enum ByteRange: Sendable, Hashable {
    /// No usable range: the whole body.
    case whole
    case part(ClosedRange<Int>)
    /// No byte of the body is in the range: 416.
    case unsatisfiable

    /// - Parameter header: nil, or an unusable header such as several ranges or another unit, means the whole body.
    init(_ header: String?, length: Int) {
        self = .whole
        guard let header, header.prefix(6).lowercased() == "bytes=", !header.contains(",") else { return }
        let ends = header.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return }
        switch (ends[0].isEmpty, ends[1].isEmpty) {
        case (true, true): return
        case (true, false):
            // The last bytes of the body; a number beyond `Int` exceeds the length.
            let count = min(Int(ends[1]) ?? length, length)
            self = count == 0 ? .unsatisfiable : .part(length - count...length - 1)
        case (false, _):
            let first = Int(ends[0]) ?? .max
            let last = ends[1].isEmpty ? length - 1 : min(Int(ends[1]) ?? .max, length - 1)
            if !ends[1].isEmpty, let asked = Int(ends[1]), asked < first { return }
            self = first >= length ? .unsatisfiable : .part(first...last)
        }
    }
}
