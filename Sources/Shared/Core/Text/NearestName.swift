/// "Did you mean …": the known name closest to a misspelled word.
package enum NearestName {
    /// Returns the closest of `names`, or nil if none is close: at most two slips, and fewer than half of the word's letters.
    package static func of(_ word: String, among names: some Sequence<String>) -> String? {
        let letters = Array(word.lowercased())
        var best: (name: String, distance: Int)?
        for name in names {
            let distance = distance(letters, Array(name.lowercased()))
            if distance <= 2, distance * 2 < max(letters.count, 2), distance < best?.distance ?? .max { best = (name, distance) }
        }
        return best?.name
    }

    /// Returns `; did you mean --x?`, or nothing.
    package static func hint(_ word: String, among names: some Sequence<String>, prefix: String = "") -> String {
        of(word, among: names).map { "; did you mean \(prefix)\($0)?" } ?? ""
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbors between two words.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        guard abs(left.count - right.count) <= 2 else { return .max }
        var rows = [Array(0...right.count)]
        for (i, letter) in left.enumerated() {
            var row = [i + 1]
            for (j, other) in right.enumerated() {
                var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other { cost = min(cost, rows[i - 1][j - 1] + 1) }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
