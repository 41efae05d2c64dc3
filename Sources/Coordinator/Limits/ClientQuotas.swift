package import TintypeCore
package import TintypeTransport
package import TintypeImages

/// The clients of the token file by their names, once any of the names has a limit. Otherwise it is empty, and nothing is counted.
///
/// The counts belong to this coordinator alone, so no request asks Redis about them. A coordinator that starts has counted nothing.
@Loop
package final class ClientQuotas {
    /// Whether no name has a limit.
    package private(set) var isEmpty = true
    private var byName: [String: ClientQuota] = [:]
    /// The same by `ClientIdentity.sharer`, which is all that an item of a group knows of its client.
    private var bySharer: [String: ClientQuota] = [:]
    /// The clients whose receipts count, by receipt.
    private var holders: [String: ClientQuota] = [:]
    /// The live coordinators, this one included, as of the last heartbeat. They share the rates.
    package private(set) var coordinators = 1
    /// Seconds of a clock that never goes back.
    package var clock: @Loop () -> Double = { Seconds.monotonic }
    /// Whether metrics show each name. Everybody who reaches the HTTP port reads them.
    private let showsNames: Bool
    private let metrics: Metrics
    private let logger: Logger

    init(showsNames: Bool = false, metrics: Metrics, logger: Logger) { (self.showsNames, self.metrics, self.logger) = (showsNames, metrics, logger) }

    /// Takes the names and limits of a token file. A name that stays keeps what it has used.
    func apply(_ names: [String: NameLimits]) {
        isEmpty = names.values.allSatisfy { $0 == .unlimited }
        let (now, before) = (clock(), byName)
        (byName, bySharer) = ([:], [:])
        if !isEmpty {
            for (name, limits) in names {
                let client = before[name] ?? ClientQuota(name, label: showsNames ? name : "*", metrics: metrics, logger: logger)
                client.apply(limits, among: coordinators, at: now)
                byName[name] = client
                bySharer[ClientIdentity.named(name).sharer] = client
            }
        }
        // Requests that wait for a place under a name that is gone need not wait.
        for (name, client) in before where byName[name] == nil { client.apply(.unlimited, among: coordinators, at: now) }
        // A client that is gone is swept no more.
        if !holders.isEmpty { holders = holders.filter { byName[$1.name] === $1 } }
    }

    /// Shares the rates among this many live coordinators.
    package func share(among count: Int) {
        guard count != coordinators else { return }
        coordinators = count
        let now = clock()
        for client in byName.values { client.apply(client.limits, among: count, at: now) }
    }

    /// Returns the client of a token or certificate; nil if it has no name, or no name has a limit.
    package subscript(grant: AccessGrant?) -> ClientQuota? { isEmpty ? nil : grant?.client.name.flatMap { byName[$0] } }

    /// Returns the client of an item of a group (`Session.sharer`).
    subscript(sharer sharer: String) -> ClientQuota? { isEmpty ? nil : bySharer[sharer] }

    /// Counts a request of this client.
    /// - Throws: `overloaded` if its name sends too many a second.
    package func take(_ grant: AccessGrant?) throws(TintypeError) { try self[grant]?.take(at: clock()) }

    /// Counts an item of a group when it is submitted, and gives its receipt a place.
    /// - Throws: `overloaded`. The group submits the item again later.
    package func enter(
        _ receipt: String, sharer: String, until limit: ContinuousClock.Instant, waits: @escaping ClientQuota.Withdrawable
    ) async throws(TintypeError) {
        guard let client = self[sharer: sharer] else { return }
        try client.take(at: clock())
        try await enter(receipt, client, until: limit, isItem: true, waits: waits)
    }

    /// Gives the receipt of a request a place, perhaps after waiting for it.
    /// - Throws: As `ClientQuota.enter`.
    package func enter(
        _ receipt: String, _ client: ClientQuota, until limit: ContinuousClock.Instant, isItem: Bool = false,
        waits: @escaping ClientQuota.Withdrawable
    ) async throws(TintypeError) {
        try await client.enter(receipt, until: limit, at: clock(), isItem: isItem, waits: waits)
        belongs(receipt, to: client)
    }

    /// Counts a receipt that has its place already.
    func hold(_ receipt: String, _ client: ClientQuota, until limit: ContinuousClock.Instant) {
        client.hold(receipt, until: limit, at: clock())
        belongs(receipt, to: client)
    }

    /// A receipt counts for one client: admins may repeat the request of another admin.
    private func belongs(_ receipt: String, to client: ClientQuota) {
        if let earlier = holders.updateValue(client, forKey: receipt), earlier !== client { earlier.leave(receipt) }
    }

    /// Frees the place of a receipt: it has ended, or goes on at another coordinator.
    /// - Parameter isListed: Whether another entry has taken its place in the table of receipts.
    package func left(_ receipt: String, unless isListed: @autoclosure () -> Bool = false) {
        guard !holders.isEmpty, !isListed() else { return }
        holders.removeValue(forKey: receipt)?.leave(receipt)
    }

    /// Stops counting receipts whose end was never heard of. Called now and then.
    package func sweep() {
        let now = clock()
        let late = byName.values.filter { $0.hasLate(at: now) }
        guard !late.isEmpty else { return }
        for client in late { client.sweep(at: now) }
        holders = holders.filter { $1.isOpen($0) }
    }

    /// Sets the gauges.
    package func sample() {
        metrics.reset(.clientRunning)
        metrics.reset(.clientQueued)
        for client in byName.values {
            metrics.add(.clientRunning, Double(client.openCount), labels: client.label)
            metrics.add(.clientQueued, Double(client.waitingCount), labels: client.label)
        }
    }
}
