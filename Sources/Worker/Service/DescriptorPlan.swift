/// How a worker shares out the descriptors that it may have: what does not fit is not begun, so that none is missing in the middle. A pure value.
struct DescriptorPlan: Hashable {
    /// Fetches at once.
    let fetches: Int
    /// Connections to origins that are kept for the next fetch.
    let kept: Int

    /// Of a fetch: its connection, what looks for the host's name, the source and the result as pixel processes get them.
    private static let ofFetch = 5
    /// The loop, logs, Redis, the store, and whoever asks for the worker's health.
    private static let own = 32
    /// The socket of a process, its end, what it prints, the note of its phase, and what it is lent for a result.
    private static let ofPixels = 5
    private static let mostKept = 256

    /// - Parameters:
    ///   - limit: how many descriptors there may be.
    ///   - fetches: wanted at once.
    ///   - pixels: how many pixel processes there are.
    init(limit: Int, fetches: Int, pixels: Int) {
        let room = limit - Self.own - Self.ofPixels * pixels
        self.fetches = max(1, min(fetches, room / Self.ofFetch))
        kept = max(1, min(Self.mostKept, room - Self.ofFetch * self.fetches))
    }

    /// How many would be enough for all that is wanted.
    static func enough(fetches: Int, pixels: Int) -> Int { own + ofPixels * pixels + ofFetch * fetches + mostKept }
}
