import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// The groups of this coordinator: starts them, drives them under leases that are renewed in time, and takes over those whose
/// coordinator has not done so for a lease.
@Loop
final class Groups {
    /// Groups taken over in one round.
    private static let adopted = 20
    /// How long a start, an append or a cancel waits for Redis to come back.
    private static let patience = Duration.seconds(5)
    /// How long a start that was given up may still reach Redis after that has answered that it knows no such group.
    private static let afterlife = Duration.seconds(5)
    /// Between two tries of what Redis has yet to hear.
    private static let pause = Duration.milliseconds(500)

    /// Groups driven here at once.
    let most: Int
    private let tools: GroupDriver.Tools
    private let memory: RedisRoom
    private var queue: Queue { tools.lanes.queue("default") }
    private var drivers: [String: GroupDriver] = [:]
    /// Starts that are under way.
    private(set) var starting = 0
    /// Groups whose start was given up although Redis may have begun it: they are cancelled as soon as it answers.
    private(set) var orphans: [(group: String, until: ContinuousClock.Instant?)] = []
    /// Of the renewals.
    var timer: LoopTimer?
    private var isBeating = false
    private var isStopped = false

    init(_ tools: GroupDriver.Tools, room: RedisRoom, most: Int) {
        self.most = most
        self.tools = tools
        memory = room
    }

    /// How many groups are driven here.
    var count: Int { drivers.count }
    /// How many more may be.
    private var room: Int { max(0, most - drivers.count - starting - orphans.count) }

    func begin() {
        timer = LoopTimer(after: queue.times.groupRenewal, repeating: true) { [weak self] in self?.tick() }
    }

    /// Gives every group to whoever takes it first; what was begun goes on.
    func handOver() {
        guard !isStopped else { return }
        isStopped = true
        timer = nil
        let held = drivers.values.map(\.held)
        for driver in drivers.values { driver.lose() }
        guard !held.isEmpty, queue.node.isConnected else { return }
        tools.scope.run("hand groups over") { [self] in
            _ = try? await queue.drive(held, coordinator: tools.lanes.coordinator, lease: .zero, adopting: 0)
        }
    }

    private func tick() {
        guard !isBeating else { return }
        isBeating = true
        // Whoever drives a group must have had the time to say so after an outage. What was given up may be taken at once.
        let isSettled = queue.node.connectedSince.map { ContinuousClock.now - $0 >= queue.times.lease } ?? false
        tools.scope.run("drive groups") { [weak self] in
            await self?.beat(onlyGivenUp: !isSettled)
            self?.isBeating = false
        }
    }

    /// Renews the leases and, perhaps, takes over groups that nobody drives.
    func beat(onlyGivenUp: Bool) async {
        let (held, asked) = (drivers.values.map(\.held), ContinuousClock.now)
        do throws(RedisError) {
            let answer = try await queue.drive(
                held, coordinator: tools.lanes.coordinator, adopting: isStopped ? 0 : min(Self.adopted, room), onlyGivenUp: onlyGivenUp)
            let lost = Set(answer.lost)
            for one in held {
                if lost.contains(one.group) { lose(one) } else { renew(one, since: asked) }
            }
            for group in answer.over { over(group) }
            for one in answer.taken {
                tools.logger.notice("took over a group that nobody drove", ["group": one.group])
                drive(one, since: asked)
            }
        } catch {
            tools.logger.refused("driving groups", error)
        }
    }

    private func lose(_ held: HeldGroup) {
        if let driver = drivers[held.group], driver.held == held { driver.lose() }
    }

    private func renew(_ held: HeldGroup, since: ContinuousClock.Instant) {
        if let driver = drivers[held.group], driver.held == held { driver.renew(since: since) }
    }

    private func drive(_ held: HeldGroup, since: ContinuousClock.Instant) {
        guard !isStopped else { return }
        // Our own, once lost and now taken over again.
        drivers[held.group]?.lose()
        let driver = GroupDriver(held, tools: tools, since: since)
        drivers[held.group] = driver
        driver.onEnd = { [weak self] ended in
            guard let self, drivers[held.group] === ended else { return }
            drivers[held.group] = nil
        }
        driver.start()
    }

    // MARK: What clients ask for

    static func newID() -> String { "g-" + ReceiptNames.next() }

    /// - Throws: `overloaded` when no more groups are driven here.
    func checkRoom() throws(TintypeError) {
        guard room == 0 else { return }
        throw TintypeError(
            .overloaded, .admission, "this coordinator drives \(most) groups, and no more at once; try again in 1 s", details: ["retryAfter": 1])
    }

    /// Starts a group and drives it.
    /// - Parameter client: whose share of Redis it fills (`Session.sharer`).
    func start(_ group: GroupRecord, _ requests: [JSON], for client: String) async throws(TintypeError) {
        try checkRoom()
        starting += 1
        defer { starting -= 1 }
        let (texts, asked) = (requests.map(\.text), ContinuousClock.now)
        try await memory.take(texts.reduce(0) { $0 + $1.utf8.count }, of: client)
        var mayRun = false
        do throws(TintypeError) {
            let token = try await persistently("starting a group") { [queue, tools] () async throws(RedisError) in
                do throws(RedisError) {
                    return try await queue.start(group: group, coordinator: tools.lanes.coordinator, requests: texts)
                } catch {
                    mayRun = mayRun || error.mayHaveRun
                    throw error
                }
            }
            if let token { drive(HeldGroup(group: group.id, token: token), since: asked) }
        } catch {
            if mayRun { forsake(group.id) }
            throw error
        }
    }

    /// Cancels a group of which the client was told that it did not start.
    func forsake(_ group: String) {
        orphans.append((group, nil))
        guard orphans.count == 1 else { return }
        tools.scope.run("cancel groups that were given up") { [self] in await cancelOrphans() }
    }

    private func cancelOrphans() async {
        while let (group, until) = orphans.first {
            do throws(RedisError) {
                let answer = try await queue.cancel(group: group, reason: "requested")
                orphans.removeFirst()
                // Redis may read its start after this, from a connection that is closed here: it is looked for until none is left.
                if answer == .unknown, case let end = until ?? .now + Self.afterlife, ContinuousClock.now < end {
                    orphans.append((group, end))
                    guard (try? await Loop.sleep(.milliseconds(200))) != nil else { return }
                }
                if answer == .cancelled { over(group) }
            } catch {
                tools.logger.refused("cancelling a group", error)
                // Only the end of this coordinator cancels its tasks.
                if (try? await Loop.sleep(Self.pause)) == nil { return }
            }
        }
    }

    /// - Parameter client: whose share of Redis they fill (`Session.sharer`).
    func append(_ requests: [JSON], to group: String, for client: String) async throws(TintypeError) -> GroupAppendAnswer {
        let (texts, call) = (requests.map(\.text), ReceiptNames.next())
        try await memory.take(texts.reduce(0) { $0 + $1.utf8.count }, of: client)
        return try await persistently("adding to a group") { [queue] () async throws(RedisError) in
            try await queue.append(group: group, call: call, requests: texts, most: MethodCatalogue.mostGroupItems)
        }
    }

    func cancel(_ group: String) async throws(TintypeError) -> GroupCancelAnswer {
        let answer = try await persistently("cancelling a group") { [queue] () async throws(RedisError) in
            try await queue.cancel(group: group, reason: "requested")
        }
        if answer == .cancelled { over(group) }
        return answer
    }

    /// A group was cancelled, here or elsewhere. Whoever drives it hears of it on its channel; should the message be lost, with the next
    /// renewal.
    func over(_ group: String) { drivers[group]?.finish(reason: "group cancelled") }

    /// A group as Redis knows it.
    /// - Throws: `unknownGroup`.
    func read(_ group: String, _ extent: GroupRecord.Extent) async throws(TintypeError) -> GroupRecord {
        let record = try await persistently("reading a group") { [queue] () async throws(RedisError) in try await queue.group(group, extent) }
        guard let record else { throw Self.unknown(group) }
        return record
    }

    static func unknown(_ id: String) -> TintypeError {
        TintypeError(.unknownGroup, .queue, "group \(id) is not known, or was forgotten", details: ["group": .string(id)])
    }

    /// A call that may be repeated, over a short break of the connection.
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
