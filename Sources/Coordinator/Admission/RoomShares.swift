/// How much of Redis each client has filled in the last ten minutes, by this coordinator. A value.
///
/// The last eighth of the room is for those that have filled less than that: where one client fills all the rest, the others are still served.
struct RoomShares {
    /// Seconds that half of what is remembered spans.
    static let span = 300.0
    /// The most clients that are told apart; those beyond share one place.
    static let most = 10_000

    private var recent: [String: Int] = [:]
    private var older: [String: Int] = [:]
    private var turned = 0.0

    /// Takes note of bytes that a client sends.
    /// - Parameter now: seconds of a clock that only goes forward.
    mutating func add(_ bytes: Int, of client: String, at now: Double) {
        age(now)
        let name = recent[client] != nil || recent.count < Self.most ? client : ""
        recent[name, default: 0] += bytes
    }

    /// How much of a budget a client may fill, itself and all others together.
    mutating func limit(of client: String, in budget: Int, at now: Double) -> Int {
        age(now)
        let name = recent[client] != nil || older[client] != nil || recent.count < Self.most ? client : ""
        let filled = (recent[name] ?? 0) + (older[name] ?? 0)
        return filled > budget / 8 ? budget - budget / 8 : budget
    }

    private mutating func age(_ now: Double) {
        guard now - turned >= Self.span else { return }
        older = now - turned < 2 * Self.span ? recent : [:]
        (recent, turned) = ([:], now)
    }
}
