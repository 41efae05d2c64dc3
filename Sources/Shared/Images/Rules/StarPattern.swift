import TintypeCore

/// Bytes in which a star matches anything, as little as possible. The match takes time linear in the text, whatever its author wrote. A pure value.
struct StarPattern: Sendable, Hashable {
    /// The texts between the stars.
    private let pieces: [BytePattern]

    init(_ text: some Collection<UInt8>) {
        pieces = text.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map { BytePattern(Array($0)) }
    }

    var starCount: Int { pieces.count - 1 }

    /// Returns the matches of the stars if the whole text matches; otherwise nil.
    func stars(in text: [UInt8]) -> [ArraySlice<UInt8>]? {
        guard let first = pieces.first?.bytes, let last = pieces.last?.bytes, text.starts(with: first) else { return nil }
        guard pieces.count > 1 else { return text.count == first.count ? [] : nil }
        var rest = text[first.count...]
        var stars: [ArraySlice<UInt8>] = []
        for piece in pieces.dropFirst().dropLast() {
            guard let found = piece.first(in: rest) else { return nil }
            stars.append(rest[..<found.lowerBound])
            rest = rest[found.upperBound...]
        }
        guard rest.count >= last.count, rest.suffix(last.count).elementsEqual(last) else { return nil }
        return stars + [rest.dropLast(last.count)]
    }
}

/// Bytes to search for in other bytes (Knuth, Morris, Pratt). A pure value.
private struct BytePattern: Sendable, Hashable {
    let bytes: [UInt8]
    /// For each prefix, the length of its longest suffix that is also a prefix.
    private let borders: [Int]

    init(_ bytes: [UInt8]) {
        var borders = [Int](repeating: 0, count: bytes.count)
        var length = 0
        for index in bytes.indices.dropFirst() {
            while length > 0, bytes[index] != bytes[length] { length = borders[length - 1] }
            if bytes[index] == bytes[length] { length += 1 }
            borders[index] = length
        }
        (self.bytes, self.borders) = (bytes, borders)
    }

    func first(in text: ArraySlice<UInt8>) -> Range<Int>? {
        guard !bytes.isEmpty else { return text.startIndex..<text.startIndex }
        var length = 0
        for index in text.indices {
            while length > 0, text[index] != bytes[length] { length = borders[length - 1] }
            if text[index] == bytes[length] { length += 1 }
            if length == bytes.count { return index + 1 - length..<index + 1 }
        }
        return nil
    }
}
