/// Paths that a rule is about: all that begin so or, with a * in it, all that look so. A pure value.
struct PathPattern: Sendable, Hashable {
    /// What stands between the stars.
    private let pieces: [String]

    static let type = ParameterType.pattern(expectation: "a path that begins with /, in which * stands for anything") {
        $0.hasPrefix("/") && $0.utf8.count <= 1024
    }

    init(_ text: String) {
        pieces = PercentText.decoded(text, only: PercentText.isUnreserved).split(separator: "*", omittingEmptySubsequences: false).map(String.init)
    }

    func matches(_ path: String) -> Bool {
        guard let first = pieces.first, path.hasPrefix(first) else { return false }
        guard pieces.count > 1, let last = pieces.last else { return true }
        var rest = path.dropFirst(first.count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let found = rest.firstRange(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
