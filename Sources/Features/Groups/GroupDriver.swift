import Coordinator
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// Drives one group: submits its requests as the plan says, records their ends, and cancels the started ones when the group ends first.
///
/// A fencing token guards every change. Another coordinator that takes over may repeat every step.
@Loop
final class GroupDriver {
    /// The objects that a driver works with.
    struct Tools {
        let registry: QueueRegistry
        let admission: Admission
        let receipts: ReceiptTable
        let cancellation: CancellationService
        let scope: TaskScope
        let logger: Logger
    }

    /// The pause between two tries while Redis is unreachable.
    private static let pause = Duration.milliseconds(500)

    let lease: GroupLease
    /// Until this time no other coordinator drives the group.
    var leasedUntil: ContinuousClock.Instant
    private let tools: Tools
    private let queue: Queue
    private var plan = GroupPlan()
    private var kind = GroupRecord.Kind.batch
    /// The items that were started and have not ended.
    private let items: BegunItems
    private var active = 0
    private var isLoading = false
    private var isLost = false
    /// Called once, when this driver has nothing more to do.
    var onEnd: (@Loop (GroupDriver) -> Void)?

    /// - Parameter since: The time at which the lease was requested.
    init(_ lease: GroupLease, tools: Tools, since: ContinuousClock.Instant = .now) {
        self.lease = lease
        leasedUntil = since + tools.registry.times.lease
        self.tools = tools
        queue = tools.registry.queue("default")
        items = BegunItems(of: lease.group, tools: tools)
        items.standing = { [weak self] in self?.standing ?? .lost }
        items.pause = { [weak self] in await self?.wait(Self.pause) }
    }

    /// The relation of the driver to its group at this moment.
    private var standing: BegunItems.Standing {
        if isLost { return .lost }
        if plan.isOver { return .over }
        return isLeased ? .driving : .unsure
    }

    func start() { load(from: 0) }

    /// Records that the lease was renewed.
    /// - Parameter since: The time at which the renewal was requested.
    func renew(since: ContinuousClock.Instant) {
        leasedUntil = since + queue.times.lease
        // All items have ended here, but the group has not: Redis failed over and lost an end that it had acknowledged. A request that is
        // started again still has its receipt, which answers at once.
        if !plan.isOver, !isLost, !isLoading, active == 0 { load(from: 0) }
    }

    /// Stops driving the group: another coordinator drives it, or none may. The started items go on without this driver.
    func lose() {
        guard !isLost else { return }
        isLost = true
        items.letGoAll()
        end()
    }

    /// Handles the end of the group by something other than its last request: cancels the started items.
    func finish(reason: String) {
        // A read in progress, or else the next renewal, reports this end too.
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

    /// Reads the requests from index `first` on until all are known. With 0 it begins again.
    private func load(from first: Int) {
        isLoading = true
        tools.scope.run("group \(lease.group)") { [self] in
            await read(from: first)
            isLoading = false
            advance()
        }
    }

    private func read(from first: Int) async {
        while !isLost {
            do throws(RedisError) {
                guard let record = try await queue.group(lease.group, .requests(from: first)) else { return lose() }
                // The group was ended meanwhile, after the state that this read returned. The end stands.
                if plan.isOver { return }
                kind = record.kind
                plan.take(record, from: first)
                if plan.isOver { withdraw(record) }
                return
            } catch {
                await wait(error, "reading a group")
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
        tools.scope.run("item of \(lease.group)") { [self] in
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
            let (request, owner, sharer, trace) = GroupItems.opened(try plan.request(index, results))
            var item = try tools.admission.plan(try ImageRequest(request, rules: tools.admission.rules), group: lease.group, owner: owner)
            if let sharer { item.sharer = sharer }
            item.trace = trace
            let id = item.request.receipt ?? ReceiptNames.item(index, of: lease.group)
            let begun = GroupRecord.Begun(queue: tools.admission.shard(of: item), receipt: id)
            guard await begin(index, begun) else { return }
            (receipt, isInline) = (id, item.request.delivery == .inline)
            guard let end = try await self.outcome(of: index, begun, item) else { return }
            outcome = end
        } catch {
            outcome = Outcome(failing: error)
        }
        let noted = GroupView.outcome(outcome, receipt: receipt, kind: kind, isInline: isInline, room: plan.room)
        plan.note(noted)
        // Uses the recorded form of the outcome, which is shortened: references to it then have the same value after a takeover.
        let from = outcome.result?.from.flatMap { ResultOrigin.Place(rawValue: $0) }
        await settle(index, noted, failure: outcome.error.map(GroupView.brief), from: from, result: noted["result"])
    }

    /// Returns the results of the steps that a request refers to, as far as they exist.
    private func results(of steps: [Int]) async -> [Int: JSON] {
        var (results, left): ([Int: JSON], Set<Int>) = ([:], Set(steps))
        while !left.isEmpty, !isLost, !plan.isOver {
            do throws(RedisError) {
                guard let found = try await queue.group(lease.group, .outcomes(of: left.sorted()))?.outcomes, !found.isEmpty else { break }
                for (step, outcome) in found {
                    results[step] = outcome["result"].map(StepReferences.opened)
                    left.remove(step)
                }
            } catch {
                await wait(error, "reading the results of steps")
            }
        }
        return results
    }

    /// Records in Redis that a request is about to be submitted. A coordinator that takes over then knows which receipts to cancel.
    private func begin(_ index: Int, _ begun: GroupRecord.Begun) async -> Bool {
        while !isLost, !plan.isOver {
            do throws(RedisError) {
                switch try await queue.begin(lease, index: index, begun) {
                case .ok: return true
                case .stale: lose()
                case .ended: finish(reason: "group cancelled")
                }
                return false
            } catch {
                await wait(error, "starting an item of a group")
            }
        }
        return false
    }

    /// Submits a request and waits for its end. While the queue is full or Redis is unreachable, it tries again until the request's deadline.
    /// - Returns: nil when this coordinator no longer drives the group.
    private func outcome(of index: Int, _ begun: GroupRecord.Begun, _ item: AdmissionPlan) async throws(TintypeError) -> Outcome? {
        let deadline = ContinuousClock.now + .seconds(item.request.deadline)
        var tries = 0
        while !isLost {
            if plan.isOver { return items.cancellation }
            // Another coordinator may drive the group by now.
            if !isLeased, !(await begin(index, begun)) { continue }
            do throws(TintypeError) {
                return try await items.submit(index, begun.receipt, item, deadline)
            } catch {
                guard let seconds = Self.waitingTime(after: error, tries: tries, jitter: Double.random(in: 0...1)) else { throw error }
                tries += 1
                await wait(until: min(deadline, .now + .seconds(seconds)))
                if ContinuousClock.now >= deadline { throw error }
            }
        }
        return nil
    }

    /// Returns the seconds after which a refused request is submitted again; nil if it has failed.
    /// - Parameters:
    ///   - tries: The number of refusals before this one.
    ///   - jitter: 0…1.
    nonisolated static func waitingTime(after error: TintypeError, tries: Int, jitter: Double) -> Double? {
        guard error.name == .overloaded || error.name == .unavailable else { return nil }
        let asked = error.details["retryAfter"]?.double.map { min(86_400, max(0.1, $0)) }
        return (asked ?? min(30, 0.5 * Double(1 << min(tries, 6)))) * (1 + jitter / 2)
    }

    /// Sleeps until `time` or until the group ends.
    private func wait(until time: ContinuousClock.Instant) async {
        while !isLost, !plan.isOver, ContinuousClock.now < time { await wait(min(.seconds(1), time - .now)) }
    }

    /// Whether the lease is valid, so that no other coordinator drives the group.
    private var isLeased: Bool { ContinuousClock.now < leasedUntil }

    private func settle(_ index: Int, _ outcome: JSON, failure: TintypeError?, from: ResultOrigin.Place? = nil, result: JSON?) async {
        while !isLost {
            do throws(RedisError) {
                switch try await queue.settle(lease, index: index, outcome: outcome, failure: failure, from: from) {
                case .stale: lose()
                case .noted(let state, let total):
                    let wasOver = plan.isOver
                    plan.ended(index, result, state: state, total: total)
                    if plan.isOver, !wasOver { items.withdrawAll() }
                }
                return
            } catch {
                await wait(error, "recording the end of an item of a group")
            }
        }
    }

    /// Cancels the items of an ended group that the previous coordinator started.
    private func withdraw(_ record: GroupRecord) {
        if record.state == .cancelled { items.reason = "group cancelled" }
        for (index, begun) in record.begun {
            work { [self] in
                await items.drop(begun)
                await settle(index, .null, failure: nil, result: nil)
            }
        }
    }

    private func wait(_ error: RedisError, _ what: StaticString) async {
        tools.logger.refused(what, error)
        await wait(Self.pause)
    }

    private func wait(_ time: Duration) async {
        // Tasks are canceled only when this coordinator ends.
        if (try? await Loop.sleep(time)) == nil { lose() }
    }
}
