package import TintypeCore
package import TintypeTransport
package import TintypeImages
import TintypeQueue

/// The admission of requests: from the parameters to an answer from memory, or to a receipt in Redis with an attachment that waits for it.
@Loop
package final class Admission {
    package let memory: MemoryTier
    private let cache: CacheTiers
    private let submitter: Submitter
    let receipts: ReceiptTable
    let cancellation: CancellationService
    private let recovery: Recovery
    let actions: any ReceiptActions
    package let registry: QueueRegistry
    private let results: ResultDelivery
    package let durability: Durability
    package let scope: TaskScope
    package let metrics: Metrics
    private let tracer: Tracer?
    private let planCache: PlanCache
    /// The secret that the keys of sources and results are made with.
    package var keys: KeySecret { planCache.keys }
    let permissions: Permissions
    private let supersedeOrder = SupersedeOrder()
    private let clients: ClientQuotas
    /// The operator's rules for URLs.
    package var rules: Rules {
        get { planCache.rules }
        set { planCache.rules = newValue }
    }
    /// The number of changes of the rules.
    package var generation: Int { planCache.generation }
    /// Set when the coordinator is stopping: new requests are refused.
    package var isClosed = false

    init(
        memory: MemoryTier, cache: CacheTiers, submitter: Submitter, receipts: ReceiptTable, cancellation: CancellationService, recovery: Recovery,
        actions: any ReceiptActions, registry: QueueRegistry, results: ResultDelivery, permissions: Permissions, keys: KeySecret = .none,
        clients: ClientQuotas, durability: Durability, scope: TaskScope, tracer: Tracer? = nil, metrics: Metrics
    ) {
        planCache = PlanCache(permissions: permissions, keys: keys)
        self.permissions = permissions
        self.memory = memory
        self.cache = cache
        self.submitter = submitter
        self.receipts = receipts
        self.cancellation = cancellation
        self.recovery = recovery
        self.actions = actions
        self.registry = registry
        self.results = results
        self.clients = clients
        self.durability = durability
        self.scope = scope
        (self.metrics, self.tracer) = (metrics, tracer)
    }

    /// `image.load`: answers when the work is done.
    package func load(_ call: Call, _ params: JSON) throws(TintypeError) {
        try load(call, plan(params, call.session))
    }

    /// `image.load` for a request whose plan was made before.
    /// - Parameter admitted: Called once Redis has the receipt, before its end. The outcome is nil unless it ended at once.
    package func load(_ call: Call, _ plan: AdmissionPlan, admitted: (@Loop (Submitter.Answer) -> Void)? = nil) throws(TintypeError) {
        try checkOpen()
        let begin: @Loop (Name?) -> Void = { [self] name in
            wait(call, plan, as: name, admitted) { call.end($0) }
        }
        if answerFromMemory(call, plan, orElse: begin) { return }
        let keys = plan.outputs.map(\.digest)
        guard plan.readsMemory, !plan.readsResults, memory.knows(keys) else { return begin(nil) }
        // Only the memory tier may answer. It knows the result, but not whether the bytes are still in the store.
        scope.run("look for results") { [self] in
            for key in keys { _ = try? await results.isPresent(key) }
            if !answerFromMemory(call, plan, orElse: begin) { begin(nil) }
        }
    }

    /// Returns whether the index has all results of a request. It is one question to Redis, and the bytes are not looked at.
    /// - Throws: `unknownQueue`, or `unavailable` when Redis is unreachable.
    package func isIndexed(_ plan: AdmissionPlan) async throws(TintypeError) -> Bool { try await submitter.isIndexed(plan) }

    /// Returns the name of the shard, or of the queue, that a request goes to.
    package func shard(of plan: AdmissionPlan) -> String {
        registry.shard(of: plan.request.queue, forHost: plan.request.source.host, source: plan.sourceDigest)
    }

    /// `image.probe`: like `image.load`, but without renditions.
    func probe(_ call: Call, _ params: JSON) throws(TintypeError) {
        try checkOpen()
        wait(call, try plan(try ImageRequest(params, isProbe: true, rules: rules), isProbe: true, owner: call.session.grant?.owner)) { outcome in
            if let error = outcome.error { return call.fail(error) }
            call.succeed(["source": outcome.result?.source ?? .null, "description": outcome.result?.description ?? [:]])
        }
    }

    /// `image.submit`: answers as soon as Redis has the receipt.
    package func submit(_ call: Call, _ params: JSON) throws(TintypeError) {
        try checkOpen()
        let plan = try plan(params, call.session)
        let waiter = call.session.canNotify || call.session.ownsReceipts ? waiter(call, plan, requestID: nil, complete: nil) : nil
        begin(call, plan, waiter, isKept: true) { answer in
            var result: JSONObject = ["receipt": .string(answer.receipt), "state": .string(answer.state.rawValue)]
            result["position"] = answer.position.map { JSON($0) }
            result["durable"] = answer.isDurable.map { JSON($0) }
            result["result"] = answer.outcome?.resultWithData?.json
            result["error"] = answer.outcome?.error?.json
            call.succeed(.object(result))
        }
    }

    /// Makes the plan of a request, or finds the one that was made for the same parameters.
    package func plan(_ params: JSON, _ session: Session) throws(TintypeError) -> AdmissionPlan {
        var plan = try planCache.plan(params)
        guard let owner = session.grant?.owner else { return plan }
        try plan.request.checkUploads(of: owner)
        plan.owner = owner
        return plan
    }

    /// Makes the plan of a request, if the operator permits the request.
    /// - Parameter owner: The owner of the request (`AccessGrant.owner`).
    package func plan(_ request: ImageRequest, isProbe: Bool = false, group: String? = nil, owner: String? = nil) throws(TintypeError) -> AdmissionPlan {
        try permissions.check(request)
        try request.checkUploads(of: owner)
        var plan = AdmissionPlan(request, isProbe: isProbe, group: group, keys: keys)
        plan.owner = owner
        return plan
    }

    /// - Throws: `shuttingDown` when new requests are refused.
    package func checkOpen() throws(TintypeError) {
        if isClosed { throw TintypeError.stopping }
    }

    /// Queues the work of `call` and answers it at the end.
    private func wait(
        _ call: Call, _ plan: AdmissionPlan, as name: Name? = nil, _ admitted: (@Loop (Submitter.Answer) -> Void)? = nil,
        _ answer: @escaping @Loop (Outcome) -> Void
    ) {
        let waiter = waiter(call, plan, requestID: call.id) { [self] outcome in
            // A canceled request is answered as canceled, even when the work ended first.
            guard call.isCancelled, outcome.error?.name != .cancelled else { return answer(outcome) }
            takeBack(outcome, plan)
            call.fail(Outcome.cancellation(reason: "requested", phase: nil))
        }
        begin(call, plan, waiter, isKept: plan.request.receipt != nil, as: name, admitted)
    }

    /// Removes the results that were made only for a canceled request. A receipt with a chosen id is left, because others may ask for it.
    private func takeBack(_ outcome: Outcome, _ plan: AdmissionPlan) {
        guard plan.request.receipt == nil, let receipt = outcome.result?.receipt, let handle = registry[shard(of: plan)] else { return }
        let results = plan.outputs.map(\.digest)
        for key in results { memory.remove(key) }
        let layers = plan.request.renditions.flatMap(\.layers).map { keys.key($0.source.digest) }
        cancellation.retract(receipt, handle) { [cache] fetch in await cache.takeBack(results, sources: [plan.sourceDigest] + layers, of: fetch) }
    }

    private func waiter(
        _ call: Call, _ plan: AdmissionPlan, requestID: JSON?, complete: (@Loop (Outcome) -> Void)?
    ) -> ReceiptWaiter {
        let isLoad = complete != nil
        let progress = plan.request.progress
        return ReceiptWaiter(
            session: call.session, requestID: requestID, filter: progress != nil ? .all : isLoad ? .none : .terminal,
            throttle: progress.map { ProgressThrottle(interval: $0.interval, fraction: $0.fraction) },
            cancelsOnDisconnect: isLoad && plan.request.receipt == nil, carriesDataInEvent: !isLoad, hooks: plan.request.wantsHooks ? .all : .none,
            call: isLoad ? call : nil, complete: complete)
    }

    /// Puts a receipt into the table and, in a task of its own, into Redis.
    private func begin(
        _ call: Call, _ plan: AdmissionPlan, _ waiter: ReceiptWaiter?, isKept: Bool, as name: Name? = nil,
        _ admitted: (@Loop (Submitter.Answer) -> Void)?
    ) {
        let deadline = name?.deadline ?? .now + .seconds(plan.request.deadline)
        let (id, client) = (name?.id ?? plan.request.receipt ?? ReceiptNames.next(in: shard(of: plan)), clients[call.session.grant])
        let span = tracer?.beginPublish(id, in: plan.request.queue, below: call.trace?.context)
        let plan = plan.traced(span?.context ?? call.trace?.context)
        call.trace?.span?["tintype.receipt"] = .string(id)
        scope.run("admit") { [self] in
            var held: Hold?
            var opened: PendingReceipt?
            do throws(TintypeError) {
                let entry = Entry(id: id, plan: plan, client: call.session.sharer, isKept: isKept, isNobodys: waiter == nil, deadline: deadline, span: span)
                _ = try await admit(entry, for: call, admitted) { () async throws(TintypeError) in
                    if let client { try await place(id, client, call, until: deadline) }
                } opened: { receipt in
                    opened = receipt
                    if let client { clients.hold(id, client, until: deadline) }
                    if let waiter { held = hold(receipt, waiter, call) }
                } undo: {
                    // Otherwise another request of this client uses the same attachment and is still served.
                    guard let given = held, given.waiter.giveUp(given.requestHandle) else { return held = nil }
                    given.receipt.detach(given.waiter)
                    call.session.releases(given.waiter)
                }
            } catch {
                let told = call.isCancelled ? Outcome.cancellation(reason: "requested", phase: nil) : error
                let fail: @Loop (Outcome) -> Void = { end in
                    if let complete = waiter?.complete { complete(end) } else if let error = end.error { call.fail(error) }
                }
                guard waiter?.complete != nil, plan.request.fallback != nil else {
                    if let held { held.waiter.leave(held.receipt) { call.fail(told) } } else { call.fail(told) }
                    return
                }
                results.prepare(Outcome(failing: told), receipt: opened?.id, meta: plan.meta, use: plan.use, for: call) { end in
                    if let held { held.waiter.leave(held.receipt) { fail(end) } } else { fail(end) }
                }
            }
        }
    }

    /// Submits an item of a group to its queue (`GroupDriver`).
    /// - Parameters:
    ///   - attachment: Receives the item's end, perhaps before this function returns.
    ///   - deadline: The deadline of the item, across all its submits.
    ///   - waits: Called before the item waits for a place among the receipts of its client.
    package func enter(
        _ id: String, _ plan: AdmissionPlan, _ waiter: ReceiptWaiter, deadline: ContinuousClock.Instant,
        waits: @escaping ClientQuota.Withdrawable = { _ in }
    ) async throws(TintypeError) -> PendingReceipt {
        try await clients.enter(id, sharer: plan.sharer, until: deadline, waits: waits)
        let span = tracer?.beginPublish(id, in: plan.request.queue, below: plan.trace)
        let plan = plan.traced(span?.context ?? plan.trace)
        let entry = Entry(id: id, plan: plan, client: plan.sharer, isKept: true, isNobodys: false, deadline: deadline, span: span)
        var opened: PendingReceipt?
        do throws(TintypeError) {
            return try await admit(entry, for: nil) { receipt in
                opened = receipt
                receipt.attach(waiter)
            } undo: {
                opened?.detach(waiter)
            }
        } catch {
            giveUpPermit(of: id)
            throw error
        }
    }

    /// A request on its way to a receipt.
    private struct Entry {
        let id: String
        let plan: AdmissionPlan
        /// The client whose part of the limits it uses.
        let client: String
        /// Whether clients may ask for the ended receipt later.
        let isKept: Bool
        /// Whether no client waits for it. A receipt that is submitted over HTTP goes on without one.
        let isNobodys: Bool
        let deadline: ContinuousClock.Instant
        let span: TraceSpan?
    }

    /// Brings a request into Redis, behind earlier requests with its supersede key: the procedure for clients and groups.
    /// - Parameters:
    ///   - call: The request of a client; nil for an item of a group.
    ///   - before: Waits for what the request needs first.
    ///   - opened: Ties the receipt to those that wait for it.
    ///   - undo: Unties it. Called after each failure.
    private func admit(
        _ entry: Entry, for call: Call?, _ admitted: (@Loop (Submitter.Answer) -> Void)? = nil,
        before: @Loop () async throws(TintypeError) -> Void = {}, opened: @Loop (PendingReceipt) -> Void, undo: @Loop () -> Void
    ) async throws(TintypeError) -> PendingReceipt {
        let plan = entry.plan
        var made: PendingReceipt?
        do throws(TintypeError) {
            try await before()
            let receipt = try await supersedeOrder.inTurn(plan.request.supersedeKey, of: plan.request.queue, by: plan.owner, until: entry.deadline) {
                () async throws(TintypeError) in
                let handle = try await submitter.handle(plan, until: entry.deadline)
                // The request was canceled, or answered because the coordinator stops, while it waited for its turn or its queue. No receipt is
                // made for it, whether it is detached or not.
                if let call, call.isAnswered, call.isCancelled || call.isGivenUp { throw Outcome.cancellation(reason: "requested", phase: nil) }
                let receipt = try open(entry, in: handle)
                made = receipt
                opened(receipt)
                try await submitter.submit(receipt, plan, for: call, admitted)
                return receipt
            }
            if let span = entry.span { tracer?.end(span) }
            return receipt
        } catch {
            if let span = entry.span { tracer?.end(span, failure: error.name.rawValue) }
            undo()
            if let made { handBack(made) } else { giveUpPermit(of: entry.id) }
            throw error
        }
    }

    /// Gives the receipt of a request a place among those of its client. The request may have to wait, and can be canceled meanwhile.
    private func place(_ id: String, _ client: ClientQuota, _ call: Call, until deadline: ContinuousClock.Instant) async throws(TintypeError) {
        defer { (call.onCancel, call.onAbandoned) = (nil, nil) }
        try await clients.enter(id, client, until: deadline) { withdraw in
            call.onCancel = { [weak call] in
                withdraw(Call.withdrawn)
                call?.fail(Call.withdrawn)
            }
            call.onAbandoned = { withdraw(Outcome.cancellation(reason: "disconnected", phase: "admission")) }
        }
    }

    /// Frees the place of a receipt that was not made, unless another request has made it.
    private func giveUpPermit(of id: String) { clients.left(id, unless: receipts[id] != nil) }

    /// Returns the receipt of this id: the live one of the same request if the table has it, else a new one.
    private func open(_ entry: Entry, in handle: QueueHandle) throws(TintypeError) -> PendingReceipt {
        let (id, plan) = (entry.id, entry.plan)
        let live = receipts[id]
        if let live, let fingerprint = live.fingerprint {
            guard fingerprint == plan.fingerprint, live.handle === handle else { throw Submitter.mismatch(id) }
            return live
        }
        var submission = plan.submission(
            receipt: id, coordinator: registry.coordinator, deadline: plan.request.deadline, isKept: entry.isKept,
            isPressed: submitter.isPressed(in: handle.queue))
        submission.timeouts = permissions.bounded(submission.timeouts)
        submission.client = entry.client
        var use = plan.use
        if entry.isNobodys {
            submission.terms.isDetached = true
            use.terms.isDetached = true
        }
        let receipt = PendingReceipt(
            id: id, handle: handle, meta: plan.meta, use: use, submission: submission, deadline: entry.deadline)
        receipts.add(receipt)
        // `receipt.get` continued this id before, so its waiting clients move to the new receipt.
        if let live { receipt.goOn(as: live) }
        for waiter in live?.waiters ?? SmallArray() {
            receipt.attach(waiter)
            waiter.session.holds(waiter, of: receipt)
        }
        if let live { receipts.remove(live) }
        return receipt
    }

    /// Handles a failed submit. Clients that continued the receipt by `receipt.get` before go on waiting for the state in Redis.
    private func handBack(_ receipt: PendingReceipt) {
        guard receipt.life.submits == 0, !receipt.isAdmitted, !receipt.isEnding, !receipt.waiters.isEmpty else { return }
        let again = PendingReceipt(
            id: receipt.id, handle: receipt.handle, meta: receipt.meta, use: receipt.use, submission: nil, deadline: nil)
        again.takeUp(after: 0)
        for waiter in receipt.waiters {
            again.attach(waiter)
            waiter.session.holds(waiter, of: again)
        }
        receipts.add(again)
        recovery.ask(again)
    }
}
