package import TintypeCore
package import TintypeTransport
package import TintypeImages
import TintypeQueue

/// The admission of requests: from the parameters to an answer from memory, or to a receipt in Redis with an attachment that waits for it.
@Loop
package final class Admission {
    private let planCache: PlanCache
    private let answers: MemoryAnswers
    /// The way of items of groups, which come with their plans.
    package let entrance: ReceiptEntrance
    private let planned: PlannedResults
    private let registry: QueueRegistry
    private let cancellation: CancellationService
    /// The secret that the keys of sources and results are made with.
    package var keys: KeySecret { planCache.keys }
    /// The options that the operator permits.
    var permissions: Permissions { planCache.permissions }
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
        _ planCache: PlanCache, _ answers: MemoryAnswers, _ entrance: ReceiptEntrance, _ planned: PlannedResults, registry: QueueRegistry,
        cancellation: CancellationService
    ) {
        (self.planCache, self.answers, self.entrance, self.planned) = (planCache, answers, entrance, planned)
        (self.registry, self.cancellation) = (registry, cancellation)
    }

    /// `image.load`: answers when the work is done.
    package func load(_ call: Call, _ params: JSON) throws(TintypeError) {
        try load(call, plan(params, call.session))
    }

    /// `image.load` for a request whose plan was made before.
    /// - Parameter admitted: Called once Redis has the receipt, before its end. The outcome is nil unless it ended at once.
    package func load(_ call: Call, _ plan: AdmissionPlan, admitted: (@Loop (Submitter.Answer) -> Void)? = nil) throws(TintypeError) {
        try checkOpen()
        let found = answers.answer(call, plan)
        // The closure below has a copy of the plan, which a hit does without.
        if case .answered = found { return }
        answers.goOn(found, call, plan) { [self] name in
            wait(call, plan, as: name, admitted) { call.end($0) }
        }
    }

    /// Returns whether the index has all results of a request. It is one question to Redis, and the bytes are not looked at.
    /// - Throws: `unknownQueue`, or `unavailable` when Redis is unreachable.
    package func isIndexed(_ plan: AdmissionPlan) async throws(TintypeError) -> Bool {
        let (queue, host) = (plan.request.queue, plan.request.source.host)
        return try await planned.areIndexed(plan, in: registry.open(queue, forHost: host, source: plan.sourceDigest, until: .now).queue)
    }

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
        entrance.begin(call, plan, as: name(of: plan), waiter, isKept: true) { answer in
            var result: JSONObject = ["receipt": .string(answer.receipt), "state": .string(answer.state.rawValue)]
            result["position"] = answer.position.map { JSON($0) }
            result["durable"] = answer.isDurable.map { JSON($0) }
            result["result"] = answer.outcome?.resultWithData?.json
            result["error"] = answer.outcome?.error?.json
            call.succeed(.object(result))
        }
    }

    /// Loads the fallback of another request and waits for its end.
    /// - Parameter trace: The place of the fallback in a trace.
    func loadFallback(_ params: JSON, _ trace: TraceContext?) async -> Outcome {
        do throws(TintypeError) {
            let plan = try plan(ImageRequest(params, rules: rules)).traced(trace)
            let done = OneShot<Outcome>()
            let waiter = ReceiptWaiter(
                session: Session(peer: "fallback", ownsReceipts: false, send: nil), requestID: nil, filter: .none, throttle: nil, cancelsOnDisconnect: true,
                carriesDataInEvent: false, hooks: .none, complete: { done.complete(.success($0)) })
            _ = try await entrance.enter(ReceiptNames.next(), plan, waiter, deadline: .now + .seconds(plan.request.deadline))
            return (try? await done.wait()) ?? Outcome(failing: Outcome.cancellation(reason: "stopped", phase: nil))
        } catch {
            return Outcome(failing: error)
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
        _ call: Call, _ plan: AdmissionPlan, as name: ReceiptMaker.Name? = nil, _ admitted: (@Loop (Submitter.Answer) -> Void)? = nil,
        _ answer: @escaping @Loop (Outcome) -> Void
    ) {
        let waiter = waiter(call, plan, requestID: call.id) { [self] outcome in
            // A canceled request is answered as canceled, even when the work ended first.
            guard call.isCancelled, outcome.error?.name != .cancelled else { return answer(outcome) }
            takeBack(outcome, plan)
            call.fail(Outcome.cancellation(reason: "requested", phase: nil))
        }
        entrance.begin(call, plan, as: name ?? self.name(of: plan), waiter, isKept: plan.request.receipt != nil, admitted)
    }

    /// Removes the results that were made only for a canceled request. A receipt with a chosen id is left, because others may ask for it.
    private func takeBack(_ outcome: Outcome, _ plan: AdmissionPlan) {
        guard plan.request.receipt == nil, let receipt = outcome.result?.receipt, let handle = registry[shard(of: plan)] else { return }
        cancellation.retract(receipt, handle, planned.takeBack(plan, keys))
    }

    /// Returns a name for the receipt of a request, and the request's deadline from now on.
    private func name(of plan: AdmissionPlan) -> ReceiptMaker.Name {
        ReceiptMaker.Name(id: plan.request.receipt ?? ReceiptNames.next(in: shard(of: plan)), deadline: .now + .seconds(plan.request.deadline))
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
}
