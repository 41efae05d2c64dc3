import Coordinator
import TintypeCore
import TintypeTransport
import TintypeQueue

/// The requests of one group that its driver has started. Submits them, waits for their ends, and cancels them when the group no longer needs them.
/// Also cancels the requests that the previous coordinator of the group started.
@Loop
final class BegunItems {
    /// The relation of the driver to its group.
    enum Standing {
        /// The lease is valid: no other coordinator drives the group.
        case driving
        /// The lease has run out: another coordinator may drive the group.
        case unsure
        /// The group has ended.
        case over
        /// Another coordinator drives the group, or none may.
        case lost
    }

    /// An item whose end is awaited.
    private struct Wait {
        let receipt: PendingReceipt
        let waiter: ReceiptWaiter
        let done: OneShot<Outcome?>
    }

    /// The longest time for the cancellation of started items. After that, their deadlines in Redis end them.
    private static let patience = Duration.seconds(65)
    /// By then a dead coordinator is known to be silent. A receipt that still belongs to another coordinator is wanted there.
    private static let courtesy = Duration.seconds(4)

    private let group: String
    private let tools: GroupDriver.Tools
    private let session = Session(peer: "group", ownsReceipts: false, send: nil)
    private var waits: [Int: Wait] = [:]
    /// Withdraws the items that wait for a place among the receipts of their client.
    private var lines: [Int: @Loop (TintypeError) -> Void] = [:]
    private var withdrawalTimer: LoopTimer?
    /// The reason for which the group no longer needs its items.
    var reason = "group failed"
    var standing: @Loop () -> Standing = { .lost }
    /// Waits before another try. The driver is told when this coordinator ends meanwhile.
    var pause: @Loop () async -> Void = {}

    init(of group: String, tools: GroupDriver.Tools) {
        self.group = group
        self.tools = tools
    }

    /// The outcome of an item that the group no longer needs.
    var cancellation: Outcome { Outcome(failing: Outcome.cancellation(reason: reason, phase: nil)) }

    /// Submits a request and waits for its end.
    /// - Returns: nil when this coordinator no longer drives the group.
    func submit(
        _ index: Int, _ id: String, _ item: AdmissionPlan, _ deadline: ContinuousClock.Instant
    ) async throws(TintypeError) -> Outcome? {
        let done = OneShot<Outcome?>()
        let waiter = ReceiptWaiter(
            session: session, requestID: nil, filter: .none, throttle: nil, cancelsOnDisconnect: false, carriesDataInEvent: false, hooks: .none,
            complete: { done.complete(.success($0)) })
        defer { lines[index] = nil }
        let receipt = try await tools.admission.entrance.enter(id, item, waiter, deadline: deadline) { [weak self] withdraw in self?.lines[index] = withdraw }
        lines[index] = nil
        let wait = Wait(receipt: receipt, waiter: waiter, done: done)
        waits[index] = wait
        defer { waits[index] = nil }
        switch standing() {
        case .driving: break
        case .over: release(wait)
        case .unsure, .lost: await review(wait)
        }
        return (try? await done.wait()) ?? nil
    }

    /// Checks a receipt that was submitted while another coordinator may already have driven the group. That coordinator may have ended the group
    /// without finding the receipt; the receipt is canceled then. A running group needs it, whichever coordinator drives the group.
    private func review(_ wait: Wait) async {
        let queue = tools.registry.queue("default")
        let limit = ContinuousClock.now + Self.patience
        while ContinuousClock.now < limit {
            do throws(RedisError) {
                if try await queue.group(group, .state)?.state != .running { return release(wait) }
                break
            } catch {
                tools.logger.refused("reading a group", error)
                await pause()
                if Task.isCancelled { break }
            }
        }
        if standing() == .lost { letGo(wait) }
    }

    /// Leaves all items to the coordinator that drives the group now.
    func letGoAll() {
        withdrawLines()
        for wait in waits.values { letGo(wait) }
    }

    private func withdrawLines() {
        for withdraw in lines.values { withdraw(Outcome.cancellation(reason: reason, phase: nil)) }
    }

    private func letGo(_ wait: Wait) {
        tools.receipts.released(wait.waiter, from: wait.receipt)
        wait.done.complete(.success(nil))
    }

    /// Cancels all items: the group no longer needs them.
    func withdrawAll() {
        withdrawLines()
        for wait in waits.values { release(wait) }
        withdrawalTimer = LoopTimer(after: Self.patience) { [weak self] in
            guard let self else { return }
            for wait in waits.values { wait.done.complete(.success(cancellation)) }
        }
    }

    /// Ends the cancellation timer: all items have ended, or another coordinator has them.
    func close() { withdrawalTimer = nil }

    /// Cancels an item that the group no longer needs, if the receipt belongs to the group and no client waits for it.
    private func release(_ wait: Wait) {
        tools.scope.run("withdraw \(wait.receipt.id)") { [self] in
            guard await !tools.cancellation.withdraw(wait.receipt, madeFor: group, reason: reason) else { return }
            tools.receipts.released(wait.waiter, from: wait.receipt)
            wait.done.complete(.success(cancellation))
        }
    }

    /// Cancels an item of an ended group that the previous coordinator started.
    func drop(_ begun: GroupRecord.Begun) async {
        let (limit, courtesy) = (ContinuousClock.now + Self.patience, ContinuousClock.now + Self.courtesy)
        while standing() != .lost, ContinuousClock.now < limit {
            // A client waits for this receipt here.
            if let receipt = tools.receipts[begun.receipt], receipt.holders > 0 { return }
            do throws(RedisError) {
                var answer = CancelAnswer.unknown
                // A limit of its host may have changed between the note and the submit, and with it the shard.
                for queue in tools.registry.whole(ShardNames.queue(of: begun.queue)).parts where answer == .unknown {
                    answer = try await queue.cancel(receipt: begun.receipt, reason: reason, owner: tools.registry.coordinator, group: group)
                }
                guard answer == .elsewhere, ContinuousClock.now < courtesy else { return }
                await pause()
            } catch {
                tools.logger.refused("canceling an item of a group", error)
                await pause()
            }
        }
    }
}
