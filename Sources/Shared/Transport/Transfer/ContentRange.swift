import TintypeCore

/// The value of Content-Range: the bytes of the whole that a 206 carries (RFC 9110 §14.4). No number is above `WireNumber.most`. A pure value.
package struct ContentRange: Sendable, Hashable {
    package let first: Int64
    package let last: Int64
    /// The length of the whole; nil for `*`.
    package let total: Int64?

    /// Reads a range; nil for any other text, including an unsatisfied range (`bytes */123`).
    package init?(_ text: String) {
        guard text.lowercased().hasPrefix("bytes ") else { return nil }
        let halves = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).map { WireNumber.digits($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else { return nil }
        total = WireNumber.digits(halves[1])
        guard total != nil || halves[1] == "*", total.map({ last < $0 }) ?? true else { return nil }
        (self.first, self.last) = (first, last)
    }
}
