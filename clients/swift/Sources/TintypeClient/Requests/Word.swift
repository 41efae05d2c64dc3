/// One of a few words. A word that this version does not know is no fault: a newer service may have it.
public protocol Word: ProtocolValue, RawRepresentable, CaseIterable where RawValue == String, AllCases == [Self] {
    init(rawValue: String)
    /// A word that this version does not know.
    static func other(_ word: String) -> Self
}

extension Word {
    /// The case of a word; `other` for a word that this version does not know.
    public init(rawValue: String) {
        self = Self.allCases.first { $0.rawValue == rawValue } ?? .other(rawValue)
    }

    public init(json: JSON) throws(AnswerFault) {
        guard case .string(let word) = json else { throw AnswerFault(expected: "a text", found: json) }
        self.init(rawValue: word)
    }

    public func json(withSecrets: Bool) -> JSON { .string(rawValue) }
    /// The word as it is on the wire.
    public var description: String { rawValue }
}
