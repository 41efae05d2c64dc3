import TintypeImages

extension FetchOptions.Timeouts {
    /// The form that the scripts compare: connect, idle and total in milliseconds.
    var queued: String { [connect, idle, total].map { String(Queue.milliseconds($0)) }.joined(separator: " ") }

    /// Reads the text of `queued`; nil for anything else.
    init?(queued text: String) {
        let numbers = text.split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 3, numbers.allSatisfy({ (0...1e13).contains($0) }) else { return nil }
        self.init()
        (connect, idle, total) = (numbers[0] / 1000, numbers[1] / 1000, numbers[2] / 1000)
    }
}
