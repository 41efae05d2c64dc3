import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

/// Answers requests from the memory tier, the fastest path.
@Loop
final class MemoryAnswers {
    private let memory: MemoryTier
    private let kept: KeptResults
    private let registry: QueueRegistry
    private let durability: Durability
    private let actions: any ReceiptActions
    private let scope: TaskScope
    private let metrics: Metrics

    init(
        memory: MemoryTier, kept: KeptResults, registry: QueueRegistry, durability: Durability, actions: any ReceiptActions, scope: TaskScope,
        metrics: Metrics
    ) {
        (self.memory, self.kept, self.registry, self.durability) = (memory, kept, registry, durability)
        (self.actions, self.scope, self.metrics) = (actions, scope, metrics)
    }

    /// The memory tier's word on a request.
    enum Found {
        case answered, nothing
        /// It knows the results, but not whether their bytes are still in the store.
        case unverified
        /// It has the answer, but Redis must store the callback before the client gets it.
        case owing(MemoryAnswer)
    }

    /// Answers a request by the fast path: no Redis, no task and no closure.
    func answer(_ call: Call, _ plan: AdmissionPlan) -> Found {
        guard let answer = find(call, plan) else {
            return plan.readsMemory && !plan.readsResults && memory.knows(plan.outputs.map(\.digest)) ? .unverified : .nothing
        }
        guard plan.request.callback == nil else { return .owing(answer) }
        give(answer, to: call)
        return .answered
    }

    /// Goes on with a request that the fast path has not answered.
    /// - Parameter orElse: Begins the slow path. It gets the receipt's id if Redis may know it, so that a callback is sent once.
    func goOn(_ found: Found, _ call: Call, _ plan: AdmissionPlan, orElse begin: @escaping @Loop (ReceiptMaker.Name?) -> Void) {
        switch found {
        case .answered: return
        case .nothing: begin(nil)
        case .owing(let answer): owe(answer, call, orElse: begin)
        case .unverified:
            scope.run("look for results") { [self] in
                for key in plan.outputs.map(\.digest) { _ = try? await kept.isPresent(key) }
                let again = answer(call, plan)
                if case .unverified = again { begin(nil) } else { goOn(again, call, plan, orElse: begin) }
            }
        }
    }

    private func find(_ call: Call, _ plan: AdmissionPlan) -> MemoryAnswer? {
        guard plan.readsMemory, plan.request.delivery != .inline, plan.terms.document == nil else { return nil }
        guard let entries = memory.verified(plan.outputs.map(\.digest), ttl: plan.request.ttl) else {
            metrics.add(.cacheLookups, labels: "memory", "miss")
            return nil
        }
        // Redis has to learn that the results have these tags too. It lists no results that only memory keeps.
        if !plan.tags.isEmpty, !entries.allSatisfy({ $0.tags.isSuperset(of: plan.tags) }) {
            guard !plan.readsResults else { return nil }
            for entry in entries where entry.tags.count < MemoryTier.mostTags { entry.tags.formUnion(plan.tags) }
        }
        metrics.add(.cacheLookups, labels: "memory", "hit")
        return MemoryAnswer(receipt: ReceiptNames.next(), plan: plan.traced(call.trace?.context), entries: entries)
    }

    /// Stores the callback, then answers. The slow path begins if the callback was not stored, or if that is unknown.
    private func owe(_ answer: MemoryAnswer, _ call: Call, orElse begin: @escaping @Loop (ReceiptMaker.Name?) -> Void) {
        let plan = answer.plan
        scope.run("owe a callback") { [self] in
            let name = ReceiptMaker.Name(id: answer.receipt, deadline: .now + .seconds(plan.request.deadline))
            // A queue that was never opened may not exist, and then no coordinator would look for its callbacks.
            guard registry[plan.request.queue] != nil else { return begin(nil) }
            var owed = plan.submission(receipt: name.id, coordinator: registry.coordinator, deadline: plan.request.deadline, isKept: false)
            // The record is kept for as long as the request may still be submitted.
            owed.keepSeconds = max(owed.keepSeconds, plan.request.deadline + 60)
            let event = answer.event()
            do throws(RedisError) {
                try await registry.queue(plan.request.queue).owe(
                    owed, at: event.at, body: event.body, event: event.publicText(receipt: name.id, queue: plan.request.queue, meta: plan.meta))
            } catch {
                return begin(name)
            }
            if durability.covers(plan.request, isDetached: plan.request.isDetached) {
                let record = ReplicaWaits.Record.receipt(name.id, of: registry.queue(plan.request.queue).keys)
                if await durability.wait(for: record, until: durability.limit(before: name.deadline)) == .lost { return begin(name) }
            }
            actions.owesCallback()
            give(answer, to: call)
        }
    }

    private func give(_ answer: MemoryAnswer, to call: Call) {
        let plan = answer.plan
        metrics.add(.submits, labels: plan.request.queue, "memory")
        call.trace?.span?["tintype.from"] = "memory"
        if plan.request.wantsHooks { notify([.willStart, .willStop], of: answer, call) }
        if plan.request.progress != nil, call.session.canNotify {
            let event = answer.event()
            call.session.notify(
                event.notification(receipt: answer.receipt, requestID: call.id, sequence: 1, queue: plan.request.queue, meta: plan.meta),
                type: event.type.text)
        }
        call.succeed { answer.write(to: &$0) }
        if plan.request.wantsHooks { notify([.didStop], of: answer, call) }
    }

    private func notify(_ hooks: [RequestHooks.Hook], of answer: MemoryAnswer, _ call: Call) {
        for hook in hooks {
            call.session.notify(
                RequestHooks.notification(
                    hook, receipt: answer.receipt, requestID: call.id, queue: answer.plan.request.queue, meta: answer.plan.meta), type: "hook")
        }
    }
}

/// The question to the memory tier for the result of a request with one output. Pure.
package struct MemoryLookup: Sendable {
    package let key: String
    /// The greatest age in seconds, in place of the freshness from the origin.
    package let ttl: Double?
    /// The tags that the result must have.
    package let tags: Set<String>

    /// - Returns: nil if memory may not answer the request (`AdmissionPlan.readsMemory`).
    package init?(_ plan: AdmissionPlan) {
        guard plan.readsMemory, let key = plan.outputs.first?.digest else { return nil }
        (self.key, ttl, tags) = (key, plan.request.ttl, plan.tags)
    }
}

/// An ImageResult made from entries of the memory tier, as text.
struct MemoryAnswer {
    private static let times = ResultTimes.none.bytes()

    let receipt: String
    let plan: AdmissionPlan
    let entries: [CachedRendition]

    /// Writes the ImageResult.
    @Loop
    func write(to writer: inout JSONWriter) {
        writer.raw("{\"receipt\":")
        writer.string(receipt)
        writer.raw(",\"from\":\"memory\",\"state\":\"succeeded\",\"notModified\":false,\"source\":")
        writer.raw(entries.first?.source ?? [])
        writer.raw(",\"renditions\":[")
        let stored = plan.terms.stored
        for (index, entry) in entries.enumerated() {
            writer.raw(index == 0 ? "{\"name\":" : ",{\"name\":")
            writer.string(plan.outputs[index].name)
            writer.raw(",")
            writer.raw(entry.members)
            writer.raw(",\"stored\":")
            writer.value(stored)
            writer.raw("}")
        }
        writer.raw("],\"description\":{},\"attempts\":0,\"worker\":null,\"metrics\":")
        writer.raw(Self.times)
        writer.raw(json: plan.meta)
        writer.raw("}")
    }

    /// Returns the terminal event of this result.
    @Loop
    func event() -> ReceiptEvent {
        var writer = JSONWriter(capacity: 1024)
        writer.raw("\"result\":")
        write(to: &writer)
        return ReceiptEvent(type: .succeeded, sequence: 1, at: WallClock.text(WallClock.now), body: String(decoding: writer.bytes, as: UTF8.self))
    }
}
