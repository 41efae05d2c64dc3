import TintypeCore
import TintypeTransport
import TintypeImages

/// The plans of earlier requests, by their parameters. A repeated request is not parsed, checked and hashed again.
///
/// The plans follow the current rules. The memo contains the requests themselves, so it stays in this process and is never logged. Its number of
/// plans and their bytes are limited. It has two halves. When the new half is full, it becomes the old one, and the plans that nobody asked for since
/// the last time are dropped. So a flood of new requests drops only plans that nobody asks for meanwhile.
@Loop
final class PlanCache {
    /// The bytes of all parameters together.
    static let capacity = 16 << 20
    /// The number of plans. Besides its parameters, a plan takes some kilobytes.
    static let most = 4096
    /// Larger parameters are parsed each time.
    static let longest = 8 << 10

    private struct Half {
        var plans: [JSON: AdmissionPlan] = [:]
        /// The approximate bytes of the parameters.
        var bytes = 0
    }

    private var (new, old) = (Half(), Half())
    /// The approximate bytes of the parameters in the memo.
    var bytes: Int { new.bytes + old.bytes }
    /// The number of plans in the memo.
    var count: Int { new.plans.count + old.plans.count }
    /// The secret that the keys of sources and results are made with.
    let keys: KeySecret
    /// The rules by which requests are read. A change drops all plans.
    var rules = Rules.none {
        didSet {
            generation += 1
            forget()
        }
    }
    /// The number of changes of the rules. A plan that somebody keeps is valid for one generation.
    private(set) var generation = 0

    /// The permissions of this process, which never change. Every plan stays within them.
    let permissions: Permissions

    init(permissions: Permissions = Permissions(), keys: KeySecret = .none) { (self.permissions, self.keys) = (permissions, keys) }

    private func forget() { (new, old) = (Half(), Half()) }

    /// Returns the plan for these parameters.
    /// - Throws: The mistakes of the request.
    func plan(_ params: JSON) throws(TintypeError) -> AdmissionPlan {
        // The size comes first: parameters of megabytes must not be hashed.
        let size = Self.size(params, atMost: Self.longest)
        if let size, let known = known(params, size) { return known }
        let request = try ImageRequest(params, rules: rules)
        try permissions.check(request)
        let plan = AdmissionPlan(request, isProbe: false, keys: keys)
        // A chosen receipt id is used once, so its plan is not kept.
        if plan.request.receipt == nil, let size { keep(plan, for: params, size) }
        return plan
    }

    /// Returns the plan that the memo has, which is asked for again.
    private func known(_ params: JSON, _ size: Int) -> AdmissionPlan? {
        if let plan = new.plans[params] { return plan }
        guard let plan = old.plans.removeValue(forKey: params) else { return nil }
        old.bytes -= size
        keep(plan, for: params, size)
        return plan
    }

    private func keep(_ plan: AdmissionPlan, for params: JSON, _ size: Int) {
        if new.bytes + size > Self.capacity / 2 || new.plans.count >= Self.most / 2 { (old, new) = (new, Half()) }
        new.plans[params] = plan
        new.bytes += size
    }

    /// Returns the approximate bytes of a value; nil if they exceed `limit`. It stops at the limit.
    private static func size(_ json: JSON, atMost limit: Int) -> Int? {
        var size = 16
        switch json {
        case .null, .bool, .int, .double: break
        case .raw(let text): size += text.bytes.count
        case .string(let text): size += text.utf8.count
        case .array(let items):
            for item in items {
                guard let more = Self.size(item, atMost: limit - size) else { return nil }
                size += more
            }
        case .object(let object):
            for member in object.members {
                guard let more = Self.size(member.value, atMost: limit - size) else { return nil }
                size += member.key.utf8.count + more
            }
        }
        return size <= limit ? size : nil
    }
}
