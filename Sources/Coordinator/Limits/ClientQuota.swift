package import TintypeCore
package import TintypeTransport
package import TintypeImages
import TintypeQueue

/// A client of the token file at this coordinator, by its name: its limits, and how far they are used.
@Loop
package final class ClientQuota {
    /// The seconds after its deadline for which a receipt counts whose end is not heard of.
    private static let afterlife = 60.0
    /// The `retryAfter` for a place, in seconds. Nobody knows when one becomes free.
    private static let pause = 1.0

    package let name: String
    /// The name in metrics.
    package let label: String
    package private(set) var limits = NameLimits.unlimited
    private var rate: GCRA?
    private var permits = ConcurrencyPermits()
    private var waiting: [Int: OneShot<Void>] = [:]
    private var uploads = UploadQuota()
    private let requests: Metrics.Handle
    private let metrics: Metrics
    private let logger: Logger
    private var logThrottle = LogThrottle()

    init(_ name: String, label: String, metrics: Metrics, logger: Logger) {
        (self.name, self.label, self.metrics, self.logger) = (name, label, metrics, logger)
        requests = metrics.handle(.clientRequests, labels: label)
    }

    var openCount: Int { permits.openCount }
    var waitingCount: Int { permits.waitingCount }

    /// Sets the limits. Requests and receipts that were counted stay counted.
    /// - Parameters:
    ///   - coordinators: The coordinators that share the rate.
    ///   - now: Seconds of the clock for intervals.
    func apply(_ limits: NameLimits, among coordinators: Int, at now: Double) {
        self.limits = limits
        if let perSecond = limits.perSecond {
            let (share, burst) = (perSecond / Double(max(1, coordinators)), max(1, limits.wholeBurst / max(1, coordinators)))
            if rate == nil { rate = GCRA(perSecond: share, burst: burst) } else { rate?.change(perSecond: share, burst: burst, at: now) }
        } else {
            rate = nil
        }
        if limits.uploads == nil { uploads = UploadQuota() }
        admit(permits.change(running: limits.running, queued: limits.queued ?? 0))
    }

    /// Counts a request.
    /// - Throws: `overloaded` if the name sends too many a second.
    package func take(at now: Double) throws(TintypeError) {
        metrics.add(requests)
        if let wait = rate?.take(at: now) { throw refusal(.perSecond, retryAfter: wait) }
    }

    /// Receives a function that withdraws a request which waits for a place: the request ends with the error.
    package typealias Withdrawable = @Loop (_ withdraw: @escaping @Loop (TintypeError) -> Void) -> Void

    /// Gives a receipt a place among the open ones, perhaps after waiting for it.
    /// - Parameters:
    ///   - limit: The deadline of the receipt.
    ///   - isItem: Whether the request is an item of a group. An item waits in its group, and does not count as waiting.
    ///   - waits: Called before the receipt waits.
    /// - Throws: `overloaded` if too many are open or wait, `deadlineExceeded`, or the error with which the request is withdrawn.
    package func enter(
        _ receipt: String, until limit: ContinuousClock.Instant, at now: Double, isItem: Bool, waits: @escaping Withdrawable
    ) async throws(TintypeError) {
        let until = now + (limit - .now).inSeconds + Self.afterlife
        switch permits.ask(ConcurrencyPermits.Waiting(receipt: receipt, until: until, isCounted: !isItem), at: now) {
        case .entered: return
        case .refused(let kind): throw refusal(kind, retryAfter: Self.pause)
        case .waits(let number): try await wait(number, until: limit, waits)
        }
    }

    private func wait(_ number: Int, until limit: ContinuousClock.Instant, _ waits: Withdrawable) async throws(TintypeError) {
        let own = OneShot<Void>()
        waiting[number] = own
        let withdraw: @Loop (TintypeError) -> Void = { [weak self] error in
            guard let self, permits.withdraw(number) else { return }
            waiting[number] = nil
            own.complete(.failure(error))
        }
        let timer = LoopTimer(after: max(.zero, limit - .now)) { withdraw(Queue.deadlineExceeded) }
        defer { timer.cancel() }
        waits(withdraw)
        do {
            try await own.wait()
        } catch let error as TintypeError {
            throw error
        } catch {
            // The task ends because the coordinator stops.
            withdraw(.stopping)
            throw .stopping
        }
    }

    /// Counts a receipt that has its place already. Counting it twice changes nothing.
    func hold(_ receipt: String, until limit: ContinuousClock.Instant, at now: Double) {
        permits.hold(receipt, until: now + (limit - .now).inSeconds + Self.afterlife)
    }

    /// Frees the place of a receipt.
    package func leave(_ receipt: String) { admit(permits.leave(receipt)) }

    /// Whether a receipt has a place.
    package func isOpen(_ receipt: String) -> Bool { permits.isOpen(receipt) }

    /// Whether a receipt may have ended without a word.
    func hasLate(at now: Double) -> Bool { permits.earliest <= now }

    /// Stops counting receipts whose end was never heard of.
    package func sweep(at now: Double) { admit(permits.sweep(at: now)) }

    private func admit(_ numbers: [Int]) {
        for number in numbers { waiting.removeValue(forKey: number)?.complete(.success(())) }
    }

    // MARK: Uploads

    /// - Throws: `limitExceeded` if an upload alone is larger than all of the name may be.
    package func check(upload bytes: Int) throws(TintypeError) {
        if let quota = limits.uploads, bytes > quota { throw limits.refusal(upload: bytes, of: name) }
    }

    /// Returns the key of the oldest upload, if the name has more than its share.
    /// - Parameter now: Seconds since 1970.
    package func excessUpload(at now: Double) -> String? {
        guard let quota = limits.uploads, let oldest = uploads.excess(over: quota, at: now) else { return nil }
        if logThrottle.shouldLog("uploads") {
            logger.notice("the oldest uploads of a client make room for a new one: it is at a limit of its name", ["client": name, "limit": "uploads"])
        }
        return oldest
    }

    /// Counts an upload that is stored.
    /// - Parameter until: Seconds since 1970.
    package func keeps(upload key: String, _ bytes: Int, until: Double) {
        if limits.uploads != nil { uploads.add(key, bytes, until: until) }
    }

    /// Stops counting an upload that was removed.
    package func dropped(upload key: String) { uploads.remove(key) }

    private func refusal(_ kind: NameLimits.Kind, retryAfter: Double) -> TintypeError {
        metrics.add(.clientRefused, labels: label, kind.rawValue)
        if logThrottle.shouldLog(kind.rawValue) {
            logger.notice("requests of a client are refused: it is at a limit of its name", ["client": name, "limit": kind.rawValue])
        }
        return limits.refusal(kind, of: name, retryAfter: retryAfter)
    }

    /// How much of each limit is left here; nil without any.
    package func left(at now: Double) -> JSONObject? {
        var members = JSONObject()
        if let rate { members["burst"] = JSON(rate.left(at: now)) }
        if let running = limits.running {
            members["running"] = JSON(max(0, running - permits.openCount))
            members["queued"] = JSON(max(0, (limits.queued ?? 0) - permits.waitingCount))
        }
        members["uploads"] = limits.uploads.map { JSON(max(0, $0 - uploads.bytes)) }
        return members.isEmpty ? nil : members
    }
}
