import TintypeCore
import TintypeTransport
import TintypeImages

extension Admission {
    /// Loads the fallback of another request and waits for its end.
    /// - Parameter trace: The place of the fallback in a trace.
    func loadFallback(_ params: JSON, _ trace: TraceContext?) async -> Outcome {
        do throws(TintypeError) {
            let plan = try plan(ImageRequest(params, rules: rules)).traced(trace)
            let done = OneShot<Outcome>()
            let waiter = ReceiptWaiter(
                session: Session(peer: "fallback", ownsReceipts: false, send: nil), requestID: nil, filter: .none, throttle: nil, cancelsOnDisconnect: true,
                carriesDataInEvent: false, hooks: .none, complete: { done.complete(.success($0)) })
            _ = try await enter(ReceiptNames.next(), plan, waiter, deadline: .now + .seconds(plan.request.deadline))
            return (try? await done.wait()) ?? Outcome(failing: Outcome.cancellation(reason: "stopped", phase: nil))
        } catch {
            return Outcome(failing: error)
        }
    }
}
