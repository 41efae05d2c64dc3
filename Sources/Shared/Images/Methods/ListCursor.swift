package import TintypeCore

/// The place at which the next page of a list begins: the sort value and the id of the last item before.
///
/// The item itself may be gone by then, and new items may have come. No item is skipped or listed twice. Clients return a cursor that
/// they were given, but the text may be anything.
package struct ListCursor: Sendable, Hashable {
    /// The sort value, in epoch ms; lists begin with the largest.
    package let at: Int64
    package let id: String
    /// The queue of the item, in lists over several queues.
    package let queue: String?

    package init(at: Int64, id: String, queue: String? = nil) { (self.at, self.id, self.queue) = (at, id, queue) }

    /// - Returns: nil for a text that no answer can contain.
    init?(_ text: String) {
        let words = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard words.count >= 2, words[0].isDigits(1...15),
            let at = Int64(words[0]), (1...64).contains(words[1].utf8.count),
            words[1].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) || $0 == 0x2d })
        else { return nil }
        let queue = words.count == 3 ? words[2] : nil
        if let queue, !Self.isQueue(queue) { return nil }
        self.init(at: at, id: words[1], queue: queue)
    }

    /// Returns whether a text is the name of a queue or of a shard of one.
    private static func isQueue(_ text: String) -> Bool {
        let parts = text.split(separator: "~", maxSplits: 1, omittingEmptySubsequences: false)
        guard (try? ImageRequest.queueType.validate(.string(String(parts[0])), at: "")) != nil else { return false }
        return parts.count == 1 || (1...20).contains(parts[1].utf8.count) && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2e }
    }

    package var text: String { "\(at):\(id)" + (queue.map { ":\($0)" } ?? "") }

    package static let parameter = ParameterDescription(
        "cursor", .pattern(expectation: "the cursor of the answer before") { ListCursor($0) != nil }, "Where the answer before has stopped.")

    /// The cursor among parameters that were found right.
    package init?(_ params: JSON) {
        guard let text = params[Self.parameter.name]?.string else { return nil }
        self.init(text)
    }
}
