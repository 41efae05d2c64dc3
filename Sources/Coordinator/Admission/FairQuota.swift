/// The bytes that each client has sent to Redis in the last ten minutes through this coordinator. A value.
///
/// The last eighth of the memory is for clients that have sent less than an eighth. So when one client fills the remaining memory, other clients
/// are still served.
struct FairQuota {
    /// The seconds that each half of the record covers.
    static let span = 300.0
    /// The most clients that are counted separately. Further clients are counted together.
    static let most = 10_000

    private var recent: [String: Int] = [:]
    private var older: [String: Int] = [:]
    private var turned = 0.0

    /// Counts bytes that a client sends.
    /// - Parameter now: Seconds of a clock that never goes back.
    mutating func add(_ bytes: Int, of client: String, at now: Double) {
        age(now)
        let name = recent[client] != nil || recent.count < Self.most ? client : ""
        recent[name, default: 0] += bytes
    }

    /// Returns the total bytes up to which a client may fill the budget.
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
