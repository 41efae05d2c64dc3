import Shared

/// The groups of this coordinator: starts them, drives them under leases that are renewed every two seconds, and takes over those whose
/// coordinator has not done so for a lease.
@Loop
final class Groups {
    private static let interval = Duration.seconds(2)
    /// Groups taken over in one round.
    private static let adopted = 20
    /// How long a start, an append or a cancel waits for Redis to come back.
    private static let patience = Duration.seconds(5)

    private let tools: GroupDriver.Tools
    private let redis: RedisClient
    private var queue: Queue { tools.lanes.queue("default") }
    private var drivers: [String: GroupDriver] = [:]
    private var timer: LoopTimer?
    private var isBeating = false
    private var isStopped = false

    init(_ tools: GroupDriver.Tools, redis: RedisClient) {
        self.tools = tools
        self.redis = redis
    }

    /// How many groups are driven here.
    var count: Int { drivers.count }

    func begin() {
        timer = LoopTimer(after: Self.interval, repeating: true) { [weak self] in self?.tick() }
    }

    /// Gives every group to whoever takes it first; what was begun goes on.
    func handOver() {
        guard !isStopped else { return }
        isStopped = true
        timer = nil
        let held = drivers.values.map(\.held)
        for driver in drivers.values { driver.lose() }
        guard !held.isEmpty, redis.isConnected else { return }
        tools.scope.run("hand groups over") { [self] in
            _ = try? await queue.drive(held, coordinator: tools.lanes.coordinator, lease: .zero, adopting: 0)
        }
    }

    private func tick() {
        guard !isBeating else { return }
        isBeating = true
        // Whoever drives a group must have had the time to say so after an outage. What was given up may be taken at once.
        let isSettled = redis.connectedSince.map { ContinuousClock.now - $0 >= Queue.groupLease } ?? false
        tools.scope.run("drive groups") { [weak self] in
            await self?.beat(onlyGivenUp: !isSettled)
            self?.isBeating = false
        }
    }

    /// Renews the leases and, perhaps, takes over groups that nobody drives.
    func beat(onlyGivenUp: Bool) async {
        let held = drivers.values.map(\.held)
        do throws(RedisError) {
            let answer = try await queue.drive(held, coordinator: tools.lanes.coordinator, adopting: isStopped ? 0 : Self.adopted, onlyGivenUp: onlyGivenUp)
            for one in held where answer.lost.contains(one.group) { lose(one) }
            for group in answer.over { drivers[group]?.finish(reason: "group cancelled") }
            for one in answer.taken {
                tools.logger.notice("took over a group that nobody drove", ["group": one.group])
                drive(one)
            }
        } catch {
            tools.logger.refused("driving groups", error)
        }
    }

    private func lose(_ held: HeldGroup) {
        if let driver = drivers[held.group], driver.held == held { driver.lose() }
    }

    private func drive(_ held: HeldGroup) {
        guard !isStopped else { return }
        // Our own, once lost and now taken over again.
        drivers[held.group]?.lose()
        let driver = GroupDriver(held, tools: tools)
        drivers[held.group] = driver
        driver.onEnd = { [weak self] ended in
            guard let self, drivers[held.group] === ended else { return }
            drivers[held.group] = nil
        }
        driver.start()
    }

    // MARK: What clients ask for

    static func newID() -> String { "g-" + ReceiptNames.next() }

    /// Starts a group and drives it.
    func start(_ group: GroupRecord, _ requests: [JSON]) async throws(TintypeError) {
        let texts = requests.map(\.text)
        let token = try await persistently("starting a group") { [queue, tools] () async throws(RedisError) in
            try await queue.start(group: group, coordinator: tools.lanes.coordinator, requests: texts)
        }
        if let token { drive(HeldGroup(group: group.id, token: token)) }
    }

    func append(_ requests: [JSON], to group: String) async throws(TintypeError) -> GroupAppendAnswer {
        let (texts, call) = (requests.map(\.text), ReceiptNames.next())
        return try await persistently("adding to a group") { [queue] () async throws(RedisError) in
            try await queue.append(group: group, call: call, requests: texts, most: MethodCatalogue.mostGroupItems)
        }
    }

    func cancel(_ group: String) async throws(TintypeError) -> GroupCancelAnswer {
        let answer = try await persistently("cancelling a group") { [queue] () async throws(RedisError) in
            try await queue.cancel(group: group, reason: "requested")
        }
        // Driven elsewhere, it is told with the next renewal.
        if answer == .cancelled { drivers[group]?.finish(reason: "group cancelled") }
        return answer
    }

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
        let limit = ContinuousClock.now + Self.patience
        while true {
            do throws(RedisError) {
                return try await body()
            } catch {
                tools.logger.refused(what, error)
                guard error.isRetryable, ContinuousClock.now < limit, !Task.isCancelled else { throw TintypeError(error) }
                if redis.isConnected { try? await Loop.sleep(.milliseconds(20)) } else { try? await redis.untilConnected(within: limit - .now) }
            }
        }
    }
}
