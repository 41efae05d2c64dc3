import TintypeCore

/// Paths that a rule is about: all that begin so or, with a * in it, all that look so. Compared at bytes, as `URLParts.plainPath` spells them. A pure value.
struct PathPattern: Sendable, Hashable {
    private let text: [UInt8]
    /// nil: the beginning counts.
    private let whole: StarPattern?

    static let type = ParameterType.pattern(expectation: "a path that begins with /, in which * stands for anything") {
        $0.utf8.first == UInt8(ascii: "/") && $0.utf8.count <= 1024
    }

    /// - Parameter text: in any spelling: what is not ASCII stands for its escapes.
    init(_ text: String) {
        self.text = Array(PercentText.plain(text).utf8)
        whole = self.text.contains(UInt8(ascii: "*")) ? StarPattern(self.text) : nil
    }

    func matches(_ path: String) -> Bool {
        guard let whole else { return path.utf8.starts(with: text) }
        return whole.stars(in: Array(path.utf8)) != nil
    }
}
