/// A value that may have one of several shapes, some of which are words.
public protocol Alternatives: ProtocolValue {
    /// The words and their cases.
    static var words: KeyValuePairs<String, Self> { get }
    /// A value that this version does not know.
    static func other(_ json: JSON) -> Self
}

extension Alternatives {
    public static var words: KeyValuePairs<String, Self> { [:] }

    /// The case of a word; `other` for a word that this version does not know, and for another shape.
    static func of(word json: JSON) -> Self {
        Self.words.first { .string($0.key) == json }?.value ?? .other(json)
    }

    /// The word of a case that is one.
    var word: JSON { Self.words.first { $0.value == self }.map { .string($0.key) } ?? .null }
}
