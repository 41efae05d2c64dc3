import TintypeCore
import TintypeTransport
import TintypeImages

/// The plans of earlier requests, by their parameters. A repeated request is not parsed, checked and hashed again.
///
/// The plans follow the current rules. The memo contains the requests themselves, so it stays in this process and is never logged. Its number of
/// plans and their bytes are limited.
@Loop
final class PlanCache {
    /// The bytes of all parameters together above which all plans are dropped.
    static let capacity = 16 << 20
    /// The number of plans. Besides its parameters, a plan takes some kilobytes.
    static let most = 4096
    /// Larger parameters are parsed each time.
    static let longest = 8 << 10
    private var plans: [JSON: AdmissionPlan] = [:]
    /// The approximate bytes of the parameters in the memo.
    private(set) var bytes = 0
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

    private let permissions: Permissions

    /// - Parameter permissions: The permissions of this process, which never change. Every plan stays within them.
    init(permissions: Permissions = Permissions(), keys: KeySecret = .none) { (self.permissions, self.keys) = (permissions, keys) }

    private func forget() {
        plans.removeAll()
        bytes = 0
    }

    /// Returns the plan for these parameters.
    /// - Throws: The mistakes of the request.
    func plan(_ params: JSON) throws(TintypeError) -> AdmissionPlan {
        if let known = plans[params] { return known }
        let request = try ImageRequest(params, rules: rules)
        try permissions.check(request)
        let plan = AdmissionPlan(request, isProbe: false, keys: keys)
        // A chosen receipt id is used once, so its plan is not kept.
        guard plan.request.receipt == nil, let size = Self.size(params, atMost: Self.longest) else { return plan }
        if bytes + size > Self.capacity || plans.count >= Self.most {
            forget()
        }
        plans[params] = plan
        bytes += size
        return plan
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
