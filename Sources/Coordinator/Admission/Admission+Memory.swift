import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeCore

/// Answers out of memory, the fastest there are.
extension Admission {
    /// The name of a receipt that Redis may know already, and when it must have ended.
    struct Name {
        let id: String
        let deadline: ContinuousClock.Instant
    }

    /// The fast way: no Redis, no task, unless a callback is owed, which Redis has to have before the client hears that all is done.
    /// - Parameter orElse: begins the slow way after all: the callback could not be owed, or nobody knows whether it was. Under the same
    ///   name, so that it is owed once.
    /// - Returns: whether the request is taken care of.
    func answerFromMemory(_ call: Call, _ plan: AdmissionPlan, orElse begin: @escaping @Loop (Name?) -> Void) -> Bool {
        guard plan.readsMemory, plan.request.delivery != .inline, !plan.terms.isJSON else { return false }
        guard let entries = memory.certain(plan.outputs.map(\.digest), ttl: plan.request.ttl) else {
            metrics.add(.cacheLookups, labels: "memory", "miss")
            return false
        }
        metrics.add(.cacheLookups, labels: "memory", "hit")
        let answer = MemoryAnswer(receipt: ReceiptNames.next(), plan: plan, entries: entries)
        guard plan.request.callback != nil else {
            give(answer, to: call)
            return true
        }
        scope.run("owe a callback") { [self] in
            let name = Name(id: answer.receipt, deadline: .now + .seconds(plan.request.deadline))
            // A queue that nobody has opened may not be there, and nobody would look for its callbacks.
            guard lanes[plan.request.queue] != nil else { return begin(nil) }
            var owed = plan.submission(receipt: name.id, coordinator: lanes.coordinator, deadline: plan.request.deadline, isKept: false)
            // As long as it may be submitted after all.
            owed.keepSeconds = max(owed.keepSeconds, plan.request.deadline + 60)
            let event = answer.event()
            do throws(RedisError) {
                try await lanes.queue(plan.request.queue).owe(
                    owed, at: event.at, body: event.body, event: event.publicText(receipt: name.id, queue: plan.request.queue, meta: plan.meta))
            } catch {
                return begin(name)
            }
            actions.owesCallback()
            give(answer, to: call)
        }
        return true
    }

    private func give(_ answer: MemoryAnswer, to call: Call) {
        let plan = answer.plan
        metrics.add(.submits, labels: plan.request.queue, "memory")
        if plan.request.wantsHooks { tell([.willStart, .willStop], of: answer, call) }
        if plan.request.progress != nil, call.session.canNotify {
            let event = answer.event()
            call.session.notify(
                event.notification(receipt: answer.receipt, requestID: call.id, sequence: 1, queue: plan.request.queue, meta: plan.meta),
                type: event.type.text)
        }
        call.succeed { answer.write(to: &$0) }
        if plan.request.wantsHooks { tell([.didStop], of: answer, call) }
    }

    private func tell(_ hooks: [RequestHooks.Hook], of answer: MemoryAnswer, _ call: Call) {
        for hook in hooks {
            call.session.notify(
                RequestHooks.notification(
                    hook, receipt: answer.receipt, requestID: call.id, queue: answer.plan.request.queue, meta: answer.plan.meta), type: "hook")
        }
    }
}
