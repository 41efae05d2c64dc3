import TintypeTransport

/// The ends that a connection was told of a short while ago. Pure: the caller supplies the time.
///
/// A new primary may have lost the last writes of the one before. A receipt that has ended may run there again. A client that asks for such a receipt gets
/// the answer, and is not told of the end twice.
struct ToldEnds: Sendable {
    /// How long an end is remembered, in seconds. A switch takes less.
    static let memory = 60.0
    /// The most ends that are remembered: 16 KiB.
    static let most = 1024

    /// Hashes, because there may be many thousand connections. Two ids of one connection have the same hash once in 2⁶⁴.
    private var recent = FIFO<(receipt: Int, at: Double)>()

    /// Records an end.
    /// - Parameter now: in seconds of any clock.
    mutating func add(_ receipt: String, at now: Double) {
        while let first = recent.first, recent.count >= Self.most || first.at + Self.memory < now { _ = recent.popFirst() }
        recent.append((receipt.hashValue, now))
    }

    /// Returns whether the connection was told of an end of the receipt.
    func contains(_ receipt: String) -> Bool {
        let hash = receipt.hashValue
        return recent.elements.contains { $0.receipt == hash }
    }
}
