/// Comparisons of words in bytes, without texts. Pure.
///
/// Only the letters of ASCII have a case here. For Swift's texts a colon with an accent is another character, and the Kelvin sign lowercases to k.
enum ASCII {
    static func lower(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte }

    /// Returns whether the words are the same but for case.
    static func isSame(_ word: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
        word.count == other.count && zip(word, other).allSatisfy { lower($0) == lower($1) }
    }

    static func bytes(of word: StaticString) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) }

    /// Returns the word without the spaces and tabs around it.
    static func trimmed<Word: BidirectionalCollection<UInt8>>(_ word: Word) -> Word.SubSequence {
        var rest = word[...]
        while let first = rest.first, first == 32 || first == 9 { rest.removeFirst() }
        while let last = rest.last, last == 32 || last == 9 { rest.removeLast() }
        return rest
    }
}
