/// The division of a worker's file descriptors. Work for which none is left is not started, so that none is missing halfway. A pure value.
struct DescriptorPlan: Hashable {
    /// The number of parallel fetches.
    let fetches: Int
    /// The number of connections to origins that are kept for later fetches.
    let kept: Int

    /// For one fetch: the connection, the host lookup, and the source and the result as pixel processes get them.
    private static let ofFetch = 5
    /// For the loop, logs, Redis, the store and the health port.
    private static let own = 32
    /// For one pixel process: its socket, its exit, its output, its phase record and the memory for a result.
    private static let ofPixels = 5
    private static let maxKept = 256

    /// - Parameters:
    ///   - limit: the limit of descriptors.
    ///   - fetches: the wanted number of parallel fetches.
    ///   - pixels: the number of pixel processes.
    init(limit: Int, fetches: Int, pixels: Int) {
        let room = limit - Self.own - Self.ofPixels * pixels
        self.fetches = max(1, min(fetches, room / Self.ofFetch))
        kept = max(1, min(Self.maxKept, room - Self.ofFetch * self.fetches))
    }

    /// Returns the number of descriptors that is enough for everything.
    static func enough(fetches: Int, pixels: Int) -> Int { own + ofPixels * pixels + ofFetch * fetches + maxKept }
}
