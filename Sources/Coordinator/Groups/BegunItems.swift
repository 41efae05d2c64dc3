import TintypeCore
import TintypeTransport
import TintypeQueue

/// The requests of one group that its driver has begun: submits them, waits for their ends, and withdraws them when the group wants them no
/// more, as well as what the coordinator before us has begun.
@Loop
final class BegunItems {
    /// How the driver stands to its group.
    enum Standing {
        /// Nobody else drives it.
        case driving
        /// Somebody else may.
        case unsure
        /// The group has ended.
        case over
        /// Somebody else drives it, or nobody is to.
        case lost
    }

    /// An item whose end is waited for.
    private struct Wait {
        let receipt: PendingReceipt
        let attachment: Attachment
        let done: OneShot<Outcome?>
    }

    /// How long the withdrawal of what was begun may take; after that the deadlines in Redis end it.
    private static let patience = Duration.seconds(65)
    /// By then a coordinator that has died is known to be silent: what still belongs to another one is wanted there.
    private static let courtesy = Duration.seconds(4)

    private let group: String
    private let tools: GroupDriver.Tools
    private let session = Session(peer: "group", ownsReceipts: false, send: nil)
    private var waits: [Int: Wait] = [:]
    private var withdrawalTimer: LoopTimer?
    /// Why the group wants none of them any more.
    var reason = "group failed"
    var standing: @Loop () -> Standing = { .lost }
    /// Waits before another try; the driver hears of it when this coordinator ends meanwhile.
    var rest: @Loop () async -> Void = {}

    init(of group: String, tools: GroupDriver.Tools) {
        self.group = group
        self.tools = tools
    }

    /// What comes of an item that the group wants no more.
    var cancellation: Outcome { Outcome(failing: Outcome.cancellation(reason: reason, phase: nil)) }

    /// Submits a request and waits for its end.
    /// - Returns: nil when the group is not ours any more.
    func submit(
        _ index: Int, _ id: String, _ item: AdmissionPlan, _ deadline: ContinuousClock.Instant
    ) async throws(TintypeError) -> Outcome? {
        let done = OneShot<Outcome?>()
        let attachment = Attachment(
            session: session, requestID: nil, filter: .none, throttle: nil, isFleeting: false, carriesDataInEvent: false, hooks: .none,
            complete: { done.complete(.success($0)) })
        let receipt = try await tools.admission.enter(id, item, attachment, deadline: deadline)
        let wait = Wait(receipt: receipt, attachment: attachment, done: done)
        waits[index] = wait
        defer { waits[index] = nil }
        switch standing() {
        case .driving: break
        case .over: release(wait)
        case .unsure, .lost: await review(wait)
        }
        return (try? await done.wait()) ?? nil
    }

    /// A request was submitted when somebody else may have driven the group already, and perhaps ended it without finding the receipt: it is
    /// withdrawn then. A group that runs wants it, whoever drives it.
    private func review(_ wait: Wait) async {
        let queue = tools.lanes.queue("default")
        let limit = ContinuousClock.now + Self.patience
        while ContinuousClock.now < limit {
            do throws(RedisError) {
                if try await queue.group(group, .state)?.state != .running { return release(wait) }
                break
            } catch {
                tools.logger.refused("reading a group", error)
                await rest()
                if Task.isCancelled { break }
            }
        }
        if standing() == .lost { letGo(wait) }
    }

    /// Leaves all to whoever drives the group now.
    func letGoAll() {
        for wait in waits.values { letGo(wait) }
    }

    private func letGo(_ wait: Wait) {
        tools.receipts.released(wait.attachment, from: wait.receipt)
        wait.done.complete(.success(nil))
    }

    /// The group wants none of them any more.
    func withdrawAll() {
        for wait in waits.values { release(wait) }
        withdrawalTimer = LoopTimer(after: Self.patience) { [weak self] in
            guard let self else { return }
            for wait in waits.values { wait.done.complete(.success(cancellation)) }
        }
    }

    /// All have ended, or are not ours any more.
    func close() { withdrawalTimer = nil }

    /// The group wants it no more: withdrawn, if it is the group's own and nobody else waits for it.
    private func release(_ wait: Wait) {
        tools.scope.run("withdraw \(wait.receipt.id)") { [self] in
            guard await !tools.withdrawal.withdraw(wait.receipt, madeFor: group, reason: reason) else { return }
            tools.receipts.released(wait.attachment, from: wait.receipt)
            wait.done.complete(.success(cancellation))
        }
    }

    /// Withdraws what the coordinator before us has begun of a group that has ended.
    func drop(_ begun: GroupRecord.Begun) async {
        let (limit, courtesy) = (ContinuousClock.now + Self.patience, ContinuousClock.now + Self.courtesy)
        while standing() != .lost, ContinuousClock.now < limit {
            // Somebody waits for it here.
            if let receipt = tools.receipts[begun.receipt], receipt.holders > 0 { return }
            do throws(RedisError) {
                let queue = tools.lanes.queue(begun.queue)
                let answer = try await queue.drop(receipt: begun.receipt, reason: reason, owner: tools.lanes.coordinator, group: group)
                guard answer == .elsewhere, ContinuousClock.now < courtesy else { return }
                await rest()
            } catch {
                tools.logger.refused("withdrawing an item of a group", error)
                await rest()
            }
        }
    }
}
