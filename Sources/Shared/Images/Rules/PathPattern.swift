import TintypeCore

/// Paths that a rule is about: all that begin so or, with a * in it, all that look so. Compared at bytes, as `URLParts.plainPath` spells them. A pure value.
struct PathPattern: Sendable, Hashable {
    /// What stands between the stars.
    private let pieces: [[UInt8]]

    static let type = ParameterType.pattern(expectation: "a path that begins with /, in which * stands for anything") {
        $0.utf8.first == UInt8(ascii: "/") && $0.utf8.count <= 1024
    }

    /// - Parameter text: in any spelling: what is not ASCII stands for its escapes.
    init(_ text: String) {
        pieces = Array(PercentText.plain(text).utf8).split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
    }

    func matches(_ path: String) -> Bool {
        let path = Array(path.utf8)
        guard let first = pieces.first, path.starts(with: first) else { return false }
        guard pieces.count > 1, let last = pieces.last else { return true }
        var rest = path[first.count...]
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let found = rest.firstRange(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }
}
