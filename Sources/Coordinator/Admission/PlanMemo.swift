import Shared

/// Plans of requests seen before, by their parameters: a client that asks again for the same picture spares us reading, checking and
/// hashing its words. Holds what came in, so it lives in this process only and is never logged.
@Loop
final class PlanMemo {
    private static let capacity = 4096
    private var plans: [JSON: AdmissionPlan] = [:]

    /// The plan for these parameters.
    /// - Throws: what is wrong with them.
    func plan(_ params: JSON) throws(TintypeError) -> AdmissionPlan {
        if let known = plans[params] { return known }
        let plan = AdmissionPlan(try ImageRequest(params), isProbe: false)
        // A named receipt is asked for once; data: URLs are large. Neither is worth keeping.
        if plan.request.receipt == nil, plan.request.source.url.utf8.count < 4096 {
            if plans.count >= Self.capacity { plans.removeAll(keepingCapacity: true) }
            plans[params] = plan
        }
        return plan
    }
}
