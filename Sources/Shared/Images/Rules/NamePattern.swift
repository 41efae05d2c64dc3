import TintypeCore

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
