import TintypeImages

/// The boxes of HEIF, JPEG 2000 and JPEG XL files (ISO/IEC 14496-12, §4.2).
extension ByteReader {
    /// Returns four letters as a number.
    static func code(_ text: StaticString) -> Int { text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | Int($1) } } }

    /// Calls `visit` with the kind of each box, the start of its content and its end, which may lie beyond the last byte.
    /// - Parameter most: the most boxes that are visited.
    /// - Returns: whether the boxes fill the place exactly.
    func boxes(_ start: Int, _ end: Int, most: Int, _ visit: (Int, Int, Int) -> Void) -> Bool {
        var at = start
        for _ in 0..<most {
            guard at < end else { return at == end }
            guard var length = big(at, 4), let kind = big(at + 4, 4) else { return false }
            var head = 8
            if length == 1 {
                guard big(at + 8, 1) == 0, let long = big(at + 9, 7) else { return false }
                (length, head) = (long, 16)
            } else if length == 0 {
                length = end - at
            }
            guard length >= head, length <= 1 << 40 else { return false }
            visit(kind, at + head, at + length)
            at += length
        }
        return false
    }

    /// Returns the first box of one of these kinds: its kind and the start of its content.
    func box(_ kinds: [StaticString]) -> (kind: Int, at: Int)? {
        let wanted = kinds.map(Self.code)
        var found: (kind: Int, at: Int)?
        _ = boxes(0, count, most: 4096) { kind, at, _ in if found == nil, wanted.contains(kind) { found = (kind, at) } }
        return found
    }
}
