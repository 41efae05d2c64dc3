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

/// A name, or, with a * at its end, the beginning of names. Names are compared as bytes. A pure value.
struct NamePattern: Sendable, Hashable {
    private let text: String
    private let isPrefix: Bool

    init(_ text: String) {
        isPrefix = text.hasSuffix("*")
        self.text = isPrefix ? String(text.dropLast()) : text
    }

    static let list = ParameterType.array(of: .pattern(expectation: "1 to 256 bytes") { (1...256).contains($0.utf8.count) }, count: 1...256)

    /// Reads a validated list.
    static func all(_ json: JSON?) -> [NamePattern] { (json?.array ?? []).compactMap { $0.string.map { NamePattern($0) } } }

    func matches(_ name: String) -> Bool { isPrefix ? name.utf8.starts(with: text.utf8) : name.isExactly(text) }
}

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

/// The hosts of a rule: one host, all hosts below a domain, or any host. A pure value.
package struct HostPattern: Sendable, Hashable {
    /// The host in lower case; for `*.example.org`, the text after the star.
    private let text: String
    private let isSuffix: Bool

    static let type = ParameterType.pattern(expectation: "a host such as \"example.org\", \"*.example.org\" for all below it, or \"*\"") {
        HostPattern($0) != nil
    }

    static let any = HostPattern()
    private init() { (text, isSuffix) = ("", true) }

    /// Reads a pattern; nil for any other text. A port is not allowed.
    package init?(_ text: String) {
        guard text != "*" else {
            self = .any
            return
        }
        let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
        // The host as downloads see it: without escapes, in ASCII, numbers as addresses.
        guard !name.contains("*"), !name.contains("/"), let url = TransferURL("http://\(name)/"), url.user == nil, url.port == 80,
            !name.hasSuffix(":80"), url.text.hasSuffix("/"), let host = url.plainHost, !host.isEmpty
        else { return nil }
        isSuffix = text.hasPrefix("*.")
        self.text = isSuffix ? "." + host : host
    }

    /// The pattern in the form of queues: the host, `.example.org` for all hosts below it, `*` for any.
    package var queued: String {
        if text.isEmpty { return "*" }
        return text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text
    }

    /// - Parameter host: the host from `TransferURL.plainHost`.
    package func matches(_ host: String) -> Bool { isSuffix ? host.hasSuffix(text) : host == text }
}
