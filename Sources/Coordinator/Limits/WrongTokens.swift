import TintypeTransport

/// The wrong tokens that each address has sent in the last minute. An address with too many has to wait, whichever token it sends. A value.
///
/// The minute of an address begins with its first wrong token. A right token ends nothing: a client with a small token could otherwise guess a greater
/// one for ever.
struct WrongTokens: Sendable {
    /// The seconds for which a wrong token counts.
    static let window = 60.0
    /// The most addresses that are remembered. Beyond that, the one that has been silent longest is forgotten.
    static let mostAddresses = 10_000

    private struct Entry: Sendable {
        let since: Double
        var count = 0
        /// The number of its last attempt.
        var last = 0
    }

    /// The wrong tokens after which an address has to wait; 0: it never has to.
    let most: Int
    private let mostAddresses: Int
    private var entries: [String: Entry] = [:]
    /// The attempts in order. One of an address that has made another since, or was forgotten, means nothing.
    private var order = FIFO<(address: String, number: Int)>()
    private var lastNumber = 0

    init(most: Int, mostAddresses: Int = Self.mostAddresses) { (self.most, self.mostAddresses) = (most, mostAddresses) }

    /// The number of remembered addresses, and of attempts in order, for tests.
    var footprint: (addresses: Int, attempts: Int) { (entries.count, order.count) }

    /// Notes an attempt.
    /// - Parameters:
    ///   - address: The address (`ConnectionPeer.network`).
    ///   - now: Seconds of a clock that never goes back.
    /// - Returns: The seconds for which the address has to wait; nil if it may try.
    mutating func attempt(by address: String, at now: Double) -> Double? {
        guard most > 0, let entry = entries[address] else { return nil }
        guard entry.since + Self.window > now else {
            entries[address] = nil
            return nil
        }
        touch(address)
        return entry.count >= most ? entry.since + Self.window - now : nil
    }

    /// Counts a wrong token.
    /// - Returns: Whether the address has to wait from now on.
    mutating func count(_ address: String, at now: Double) -> Bool {
        guard most > 0 else { return false }
        let known = entries[address].flatMap { $0.since + Self.window > now ? $0 : nil }
        var entry = known ?? Entry(since: now)
        entry.count += 1
        entries[address] = entry
        touch(address)
        while entries.count > mostAddresses, let oldest = order.popFirst() {
            if entries[oldest.address]?.last == oldest.number { entries[oldest.address] = nil }
        }
        return entry.count == most
    }

    private mutating func touch(_ address: String) {
        lastNumber += 1
        entries[address]?.last = lastNumber
        order.append((address, lastNumber))
        guard order.count > 2 * mostAddresses + 16 else { return }
        order.removeAll { entries[$0.address]?.last != $0.number }
    }
}
