/// "Did you mean …": the known name closest to a misspelled word.
package enum NearestName {
    /// The most bytes of a word that is compared. No name is longer by much, and the comparison takes time by both lengths.
    private static let longest = 128

    /// Returns the closest of `names`, or nil if none is close: at most two slips, and fewer than half of the word's letters. Case does not matter.
    package static func of(_ word: String, among names: some Sequence<String>) -> String? {
        guard word.utf8.count <= longest else { return nil }
        let letters = word.utf8.map(folded)
        var rows = Rows(letters.count)
        var best: (name: String, distance: Int)?
        for name in names where abs(name.utf8.count - letters.count) <= 2 {
            let distance = rows.distance(letters, name.utf8)
            if distance <= 2, distance * 2 < max(letters.count, 2), distance < best?.distance ?? .max { best = (name, distance) }
        }
        return best?.name
    }

    /// Returns `; did you mean --x?`, or nothing.
    package static func hint(_ word: String, among names: some Sequence<String>, prefix: String = "") -> String {
        of(word, among: names).map { "; did you mean \(prefix)\($0)?" } ?? ""
    }

    private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }

    /// Three rows of the table of distances, which all names use.
    private struct Rows {
        /// The row before the last, the last row, and the row under way.
        private var older: [Int], old: [Int], new: [Int]

        init(_ count: Int) { (older, old, new) = ([Int](repeating: 0, count: count + 1), Array(0...count), Array(0...count)) }

        /// Returns the number of insertions, deletions, replacements and swaps of neighbors between a word and a name.
        mutating func distance(_ word: [UInt8], _ name: String.UTF8View) -> Int {
            for column in old.indices { old[column] = column }
            var before: UInt8 = 0
            for (row, letter) in name.lazy.map(folded).enumerated() {
                new[0] = row + 1
                for column in word.indices {
                    var cost = min(old[column + 1] + 1, new[column] + 1, old[column] + (word[column] == letter ? 0 : 1))
                    if row > 0, column > 0, word[column] == before, word[column - 1] == letter { cost = min(cost, older[column - 1] + 1) }
                    new[column + 1] = cost
                }
                before = letter
                (older, old, new) = (old, new, older)
            }
            return old[word.count]
        }
    }
}
