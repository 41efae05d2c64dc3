import Coordinator
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// The groups of this coordinator. Starts them, drives them under leases that it renews, and takes over groups whose lease has run out.
@Loop
final class Groups {
    /// The number of groups taken over in one round.
    private static let adopted = 20
    /// The time for which a start, an append or a cancel waits for Redis to come back.
    private static let patience = Duration.seconds(5)
    /// The time for which an abandoned start may still reach Redis after Redis answered that it does not know the group.
    private static let afterlife = Duration.seconds(5)
    /// The pause between two tries while Redis is unreachable.
    private static let pause = Duration.milliseconds(500)

    /// The most groups that are driven here at once.
    let most: Int
    private let tools: GroupDriver.Tools
    private let memory: RedisMemoryGuard
    private var queue: Queue { tools.registry.queue("default") }
    private var drivers: [String: GroupDriver] = [:]
    /// The number of starts in progress.
    private(set) var starting = 0
    /// Groups whose start was abandoned although Redis may have run it. They are canceled as soon as Redis answers.
    private(set) var orphans: [(group: String, until: ContinuousClock.Instant?)] = []
    /// The timer of the renewals.
    var timer: LoopTimer?
    private var isBeating = false
    private var isStopped = false

    init(_ tools: GroupDriver.Tools, redisMemory: RedisMemoryGuard, most: Int) {
        self.most = most
        self.tools = tools
        memory = redisMemory
    }

    /// The number of groups driven here.
    var count: Int { drivers.count }
    /// The number of further groups that may be driven here.
    private var room: Int { max(0, most - drivers.count - starting - orphans.count) }

    func begin() {
        timer = LoopTimer(after: queue.times.groupRenewal, repeating: true) { [weak self] in self?.tick() }
    }

    /// Hands over every group to the coordinator that takes it first. Started items go on.
    func handOver() {
        guard !isStopped else { return }
        isStopped = true
        timer = nil
        let lease = drivers.values.map(\.lease)
        for driver in drivers.values { driver.lose() }
        guard !lease.isEmpty, queue.node.isConnected else { return }
        tools.scope.run("hand groups over") { [self] in
            _ = try? await queue.drive(lease, coordinator: tools.registry.coordinator, lease: .zero, adopting: 0)
        }
    }

    private func tick() {
        guard !isBeating else { return }
        isBeating = true
        // After an outage, the driver of a group must have had the time to renew its lease. Groups that were handed over may be taken at once.
        let isSettled = queue.node.connectedSince.map { ContinuousClock.now - $0 >= queue.times.lease } ?? false
        tools.scope.run("drive groups") { [weak self] in
            await self?.beat(onlyGivenUp: !isSettled)
            self?.isBeating = false
        }
    }

    /// Renews the leases, and takes over groups that no coordinator drives if there is room.
    func beat(onlyGivenUp: Bool) async {
        let (lease, asked) = (drivers.values.map(\.lease), ContinuousClock.now)
        do throws(RedisError) {
            let answer = try await queue.drive(
                lease, coordinator: tools.registry.coordinator, adopting: isStopped ? 0 : min(Self.adopted, room), onlyGivenUp: onlyGivenUp)
            let lost = Set(answer.lost)
            for one in lease {
                if lost.contains(one.group) { lose(one) } else { renew(one, since: asked) }
            }
            for group in answer.over { over(group) }
            for one in answer.taken {
                tools.logger.notice("took over a group that no coordinator drove", ["group": one.group])
                drive(one, since: asked)
            }
        } catch {
            tools.logger.refused("driving groups", error)
        }
    }

    private func lose(_ lease: GroupLease) {
        if let driver = drivers[lease.group], driver.lease == lease { driver.lose() }
    }

    private func renew(_ lease: GroupLease, since: ContinuousClock.Instant) {
        if let driver = drivers[lease.group], driver.lease == lease { driver.renew(since: since) }
    }

    private func drive(_ lease: GroupLease, since: ContinuousClock.Instant) {
        guard !isStopped else { return }
        // This coordinator's own group, which it lost and has now taken over again.
        drivers[lease.group]?.lose()
        let driver = GroupDriver(lease, tools: tools, since: since)
        drivers[lease.group] = driver
        driver.onEnd = { [weak self] ended in
            guard let self, drivers[lease.group] === ended else { return }
            drivers[lease.group] = nil
        }
        driver.start()
    }

    // MARK: Calls of clients

    static func newID() -> String { "g-" + ReceiptNames.next() }

    /// - Throws: `overloaded` when this coordinator drives as many groups as it may.
    func checkRoom() throws(TintypeError) {
        guard room == 0 else { return }
        throw TintypeError(.overloaded, .admission, "this coordinator drives \(most) groups, which is its limit: try again in 1 s", details: ["retryAfter": 1])
    }

    /// Starts a group of the session's client, and drives it.
    func start(_ group: GroupRecord, _ requests: [JSON], for session: Session) async throws(TintypeError) {
        try checkRoom()
        starting += 1
        defer { starting -= 1 }
        let (texts, asked) = (requests.map(\.text), ContinuousClock.now)
        var group = group
        group.owner = session.grant?.owner ?? ""
        try await memory.take(texts.reduce(0) { $0 + $1.utf8.count }, of: session.sharer)
        var mayRun = false
        do throws(TintypeError) {
            let token = try await persistently("starting a group") { [queue, tools, group] () async throws(RedisError) in
                do throws(RedisError) {
                    return try await queue.start(group: group, coordinator: tools.registry.coordinator, requests: texts)
                } catch {
                    mayRun = mayRun || error.mayHaveRun
                    throw error
                }
            }
            if let token { drive(GroupLease(group: group.id, token: token), since: asked) }
        } catch {
            if mayRun { forsake(group.id) }
            throw error
        }
    }

    /// Cancels a group whose client was told that it did not start.
    func forsake(_ group: String) {
        orphans.append((group, nil))
        guard orphans.count == 1 else { return }
        tools.scope.run("cancel abandoned groups") { [self] in await cancelOrphans() }
    }

    private func cancelOrphans() async {
        while let (group, until) = orphans.first {
            do throws(RedisError) {
                let answer = try await queue.cancel(group: group, reason: "requested")
                orphans.removeFirst()
                // Redis may read the start later, from a connection that is already closed here. So the group is canceled repeatedly until that is
                // no longer possible.
                if answer == .unknown, case let end = until ?? .now + Self.afterlife, ContinuousClock.now < end {
                    orphans.append((group, end))
                    guard (try? await Loop.sleep(.milliseconds(200))) != nil else { return }
                }
                if answer == .cancelled { over(group) }
            } catch {
                tools.logger.refused("canceling a group", error)
                // Tasks are canceled only when this coordinator ends.
                if (try? await Loop.sleep(Self.pause)) == nil { return }
            }
        }
    }

    /// - Parameter call: A new id of this call.
    func append(_ requests: [JSON], to group: String, call: String, for session: Session) async throws(TintypeError) -> GroupAppendAnswer {
        guard try await reaches(group, session) else { return .unknown }
        let texts = requests.map(\.text)
        try await memory.take(texts.reduce(0) { $0 + $1.utf8.count }, of: session.sharer)
        return try await persistently("adding to a group") { [queue] () async throws(RedisError) in
            try await queue.append(group: group, call: call, requests: texts, most: GroupRecord.mostItems)
        }
    }

    func cancel(_ group: String, for session: Session) async throws(TintypeError) -> GroupCancelAnswer {
        guard try await reaches(group, session) else { return .unknown }
        let answer = try await persistently("canceling a group") { [queue] () async throws(RedisError) in
            try await queue.cancel(group: group, reason: "requested")
        }
        if answer == .cancelled { over(group) }
        return answer
    }

    /// Handles a group that was canceled, here or elsewhere. Its driver learns this from the group's channel, or from the next renewal if the
    /// message is lost.
    func over(_ group: String) { drivers[group]?.finish(reason: "group cancelled") }

    /// Returns a group as stored in Redis, if the session may access it.
    /// - Throws: `unknownGroup`, also for a group of another owner.
    func read(_ group: String, _ extent: GroupRecord.Extent, for session: Session) async throws(TintypeError) -> GroupRecord {
        let record = try await persistently("reading a group") { [queue] () async throws(RedisError) in try await queue.group(group, extent) }
        guard let record, session.grant?.reaches(groupOf: record.owner) ?? true else { throw Self.unknown(group) }
        return record
    }

    /// Returns whether a session may access a group. An owner never changes, so the answer holds for what follows. An admin needs no read.
    private func reaches(_ group: String, _ session: Session) async throws(TintypeError) -> Bool {
        guard let grant = session.grant, grant.role < .admin else { return true }
        let record = try await persistently("reading a group") { [queue] () async throws(RedisError) in try await queue.group(group, .state) }
        return record.map { grant.reaches(groupOf: $0.owner) } ?? false
    }

    static func unknown(_ id: String) -> TintypeError {
        TintypeError(.unknownGroup, .queue, "group \(id) is unknown, or its record has expired", details: ["group": .string(id)])
    }

    /// Makes a call that may be repeated, also across a short break of the connection.
    private func persistently<Answer>(
        _ what: StaticString, _ body: @Loop () async throws(RedisError) -> Answer
    ) async throws(TintypeError) -> Answer {
        do throws(RedisError) {
            return try await queue.node.retrying(what, until: .now + Self.patience, tools.logger, body)
        } catch {
            throw TintypeError(error)
        }
    }
}
