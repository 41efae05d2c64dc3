import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// Drives one group on: submits its requests as the plan says, writes down how they end, and withdraws what it began when the group ends
/// before they do. Everything it changes is fenced by its token, and everything it does may be done again by whoever takes over.
@Loop
final class GroupDriver {
    /// What a driver works with.
    struct Tools {
        let lanes: Lanes
        let admission: Admission
        let receipts: ReceiptTable
        let withdrawal: Withdrawal
        let scope: TaskScope
        let logger: Logger
    }

    /// Between two tries while Redis is out of reach.
    private static let pause = Duration.milliseconds(500)

    let held: HeldGroup
    /// Until then nobody else drives the group.
    var leasedUntil: ContinuousClock.Instant
    private let tools: Tools
    private let queue: Queue
    private var plan = GroupPlan()
    private var kind = GroupRecord.Kind.batch
    /// What was begun and has not ended.
    private let items: BegunItems
    private var active = 0
    private var isLoading = false
    private var isLost = false
    /// Called once, when there is nothing more to do here.
    var onEnd: (@Loop (GroupDriver) -> Void)?

    /// - Parameter since: when the lease was asked for.
    init(_ held: HeldGroup, tools: Tools, since: ContinuousClock.Instant = .now) {
        self.held = held
        leasedUntil = since + tools.lanes.times.lease
        self.tools = tools
        queue = tools.lanes.queue("default")
        items = BegunItems(of: held.group, tools: tools)
        items.standing = { [weak self] in self?.standing ?? .lost }
        items.rest = { [weak self] in await self?.rest(Self.pause) }
    }

    /// How the driver stands to its group at this moment.
    private var standing: BegunItems.Standing {
        if isLost { return .lost }
        if plan.isOver { return .over }
        return isLeased ? .driving : .unsure
    }

    func start() { load(from: 0) }

    /// The lease was renewed.
    /// - Parameter since: when that was asked for.
    func renew(since: ContinuousClock.Instant) {
        leasedUntil = since + queue.times.lease
        // All has ended here, and the group has not: a Redis that took over from another has lost an end that the other had acknowledged.
        // What is begun again has its receipt still, which answers at once.
        if !plan.isOver, !isLost, !isLoading, active == 0 { load(from: 0) }
    }

    /// Another coordinator drives the group, or nobody is to: what was begun here goes on without us.
    func lose() {
        guard !isLost else { return }
        isLost = true
        items.letGoAll()
        end()
    }

    /// The group has ended, and not by what ends its last request: what was begun is withdrawn.
    func finish(reason: String) {
        // What is being read, or else the next renewal, says it too.
        guard !plan.isOver, !isLost, !isLoading else { return }
        items.reason = reason
        plan.end()
        items.withdrawAll()
        advance()
    }

    private func end() {
        items.close()
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?(self)
    }

    /// Reads requests, from one on, until all are known; 0 begins anew.
    private func load(from first: Int) {
        isLoading = true
        tools.scope.run("group \(held.group)") { [self] in
            await read(from: first)
            isLoading = false
            advance()
        }
    }

    private func read(from first: Int) async {
        while !isLost {
            do throws(RedisError) {
                guard let record = try await queue.group(held.group, .requests(from: first)) else { return lose() }
                // Ended meanwhile by somebody else, after what we know: it stays so.
                if plan.isOver { return }
                kind = record.kind
                plan.take(record, from: first)
                if plan.isOver { withdraw(record) }
                return
            } catch {
                await rest(error, "reading a group")
            }
        }
    }

    private func advance() {
        guard !isLost, !isLoading else { return }
        if plan.isIncomplete { return load(from: plan.known) }
        for index in plan.next() {
            work { [self] in await run(index) }
        }
        if plan.isOver, active == 0 { end() }
    }

    private func work(_ body: @escaping @Loop () async -> Void) {
        active += 1
        tools.scope.run("item of \(held.group)") { [self] in
            await body()
            active -= 1
            advance()
        }
    }

    // MARK: One request

    private func run(_ index: Int) async {
        var receipt: String?
        var isInline = false
        var outcome: Outcome
        let results = await results(of: plan.unknownSteps(of: index))
        guard !isLost, !plan.isOver else { return }
        do throws(TintypeError) {
            let (request, owner, sharer) = GroupItems.opened(try plan.request(index, results))
            var item = try tools.admission.plan(try ImageRequest(request, rules: tools.admission.rules), group: held.group, owner: owner)
            if let sharer { item.sharer = sharer }
            let id = item.request.receipt ?? ReceiptNames.item(index, of: held.group)
            let begun = GroupRecord.Begun(queue: item.request.queue, receipt: id)
            guard await begin(index, begun) else { return }
            (receipt, isInline) = (id, item.request.delivery == .inline)
            guard let end = try await self.outcome(of: index, begun, item) else { return }
            outcome = end
        } catch {
            outcome = Outcome(failing: error)
        }
        let noted = GroupView.outcome(outcome, receipt: receipt, kind: kind, isInline: isInline, room: plan.room)
        plan.note(noted)
        // What is written down and no more: with a coordinator that takes over, references to it stand for the same.
        await settle(index, noted, failure: outcome.error.map(GroupView.brief), result: noted["result"])
    }

    /// What came of steps that a request refers to, as far as anything did.
    private func results(of steps: [Int]) async -> [Int: JSON] {
        var (results, left): ([Int: JSON], Set<Int>) = ([:], Set(steps))
        while !left.isEmpty, !isLost, !plan.isOver {
            do throws(RedisError) {
                guard let found = try await queue.group(held.group, .outcomes(of: left.sorted()))?.outcomes, !found.isEmpty else { break }
                for (step, outcome) in found {
                    results[step] = outcome["result"].map(StepReferences.opened)
                    left.remove(step)
                }
            } catch {
                await rest(error, "reading what came of steps")
            }
        }
        return results
    }

    /// Notes in Redis that a request is about to be submitted, so that whoever takes over knows what to withdraw.
    private func begin(_ index: Int, _ begun: GroupRecord.Begun) async -> Bool {
        while !isLost, !plan.isOver {
            do throws(RedisError) {
                switch try await queue.begin(held, index: index, begun) {
                case .ok: return true
                case .stale: lose()
                case .ended: finish(reason: "group cancelled")
                }
                return false
            } catch {
                await rest(error, "beginning an item of a group")
            }
        }
        return false
    }

    /// Submits a request and waits for its end; a full queue or an absent Redis is waited out until its deadline.
    /// - Returns: nil when the group is not ours any more.
    private func outcome(of index: Int, _ begun: GroupRecord.Begun, _ item: AdmissionPlan) async throws(TintypeError) -> Outcome? {
        let deadline = ContinuousClock.now + .seconds(item.request.deadline)
        var tries = 0
        while !isLost {
            if plan.isOver { return items.cancellation }
            // Somebody else may drive the group by now.
            if !isLeased, !(await begin(index, begun)) { continue }
            do throws(TintypeError) {
                return try await items.submit(index, begun.receipt, item, deadline)
            } catch {
                guard let seconds = Self.waitingTime(after: error, tries: tries, jitter: Double.random(in: 0...1)) else { throw error }
                tries += 1
                await rest(until: min(deadline, .now + .seconds(seconds)))
                if ContinuousClock.now >= deadline { throw error }
            }
        }
        return nil
    }

    /// Seconds after which a request that was refused is submitted again; nil if it has failed.
    /// - Parameters:
    ///   - tries: how often it was refused before.
    ///   - jitter: 0…1.
    nonisolated static func waitingTime(after error: TintypeError, tries: Int, jitter: Double) -> Double? {
        guard error.name == .overloaded || error.name == .unavailable else { return nil }
        let asked = error.details["retryAfter"]?.double.map { min(86_400, max(0.1, $0)) }
        return (asked ?? min(30, 0.5 * Double(1 << min(tries, 6)))) * (1 + jitter / 2)
    }

    /// Rests, but not beyond the end of the group.
    private func rest(until time: ContinuousClock.Instant) async {
        while !isLost, !plan.isOver, ContinuousClock.now < time { await rest(min(.seconds(1), time - .now)) }
    }

    /// Whether it is certain that nobody else drives the group.
    private var isLeased: Bool { ContinuousClock.now < leasedUntil }

    private func settle(_ index: Int, _ outcome: JSON, failure: TintypeError?, result: JSON?) async {
        while !isLost {
            do throws(RedisError) {
                switch try await queue.settle(held, index: index, outcome: outcome, failure: failure) {
                case .stale: lose()
                case .noted(let state, let total):
                    let wasOver = plan.isOver
                    plan.ended(index, result, state: state, total: total)
                    if plan.isOver, !wasOver { items.withdrawAll() }
                }
                return
            } catch {
                await rest(error, "writing down the end of an item of a group")
            }
        }
    }

    /// Withdraws what the coordinator before us has begun of a group that has ended.
    private func withdraw(_ record: GroupRecord) {
        if record.state == .cancelled { items.reason = "group cancelled" }
        for (index, begun) in record.begun {
            work { [self] in
                await items.drop(begun)
                await settle(index, .null, failure: nil, result: nil)
            }
        }
    }

    private func rest(_ error: RedisError, _ what: StaticString) async {
        tools.logger.refused(what, error)
        await rest(Self.pause)
    }

    private func rest(_ time: Duration) async {
        // Only the end of this coordinator cancels its tasks.
        if (try? await Loop.sleep(time)) == nil { lose() }
    }
}
