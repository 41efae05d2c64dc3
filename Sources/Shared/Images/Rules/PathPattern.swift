import TintypeCore

/// The paths of a rule: a beginning or, with a * in it, a whole path. Compared as bytes, in the spelling of `URLParts.plainPath`. A pure value.
struct PathPattern: Sendable, Hashable {
    private let text: [UInt8]
    /// nil: the pattern is a beginning.
    private let whole: StarPattern?

    static let type = ParameterType.pattern(expectation: "a path that begins with /, in which * matches anything") {
        $0.utf8.first == UInt8(ascii: "/") && $0.utf8.count <= 1024
    }

    /// - Parameter text: the path in any spelling. Characters outside ASCII stand for their escapes.
    init(_ text: String) {
        self.text = Array(PercentText.plain(text).utf8)
        whole = self.text.contains(UInt8(ascii: "*")) ? StarPattern(self.text) : nil
    }

    func matches(_ path: String) -> Bool {
        guard let whole else { return path.utf8.starts(with: text) }
        return whole.stars(in: Array(path.utf8)) != nil
    }
}
