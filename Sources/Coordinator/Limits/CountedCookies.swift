import TintypeTransport

/// The wrong cookies that were counted as wrong tokens. A value.
///
/// A guess of a token may come as a cookie, so it counts. But a browser sends the cookie of a removed token again and again, and that is one guess.
struct CountedCookies: Sendable {
    /// The most cookies that are remembered; the oldest one goes first, and would count again.
    static let most = 1000

    private var known: Set<Int> = []
    private var order = FIFO<Int>()

    /// Notes a wrong cookie.
    /// - Returns: Whether it is a new one.
    mutating func isNew(_ cookie: String) -> Bool {
        // The hash has a random seed, so that nobody can make two cookies of one hash.
        guard known.insert(cookie.hashValue).inserted else { return false }
        order.append(cookie.hashValue)
        if order.count > Self.most, let oldest = order.popFirst() { known.remove(oldest) }
        return true
    }
}
