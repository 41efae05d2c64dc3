import TintypeCore
import TintypeTransport
import TintypeImages

/// Plans of requests seen before, by their parameters: a client that asks again for the same picture spares us reading, checking and
/// hashing its words. They are plans by the rules of now. Holds what came in, so it lives in this process only, bounded in number and in bytes, and is never logged.
@Loop
final class PlanMemo {
    /// Bytes of all the parameters together; then everything is forgotten.
    static let capacity = 16 << 20
    /// Plans; a plan takes some kilobytes beside its parameters.
    static let most = 4096
    /// Larger parameters are read anew each time.
    static let longest = 8 << 10
    private var plans: [JSON: AdmissionPlan] = [:]
    /// About how many bytes the parameters at hand take.
    private(set) var bytes = 0
    /// What makes the keys of sources and results.
    let keys: KeySecret
    /// What requests are read by. Plans by others are forgotten.
    var rules = Rules.none { didSet { forget() } }

    private let permissions: Permissions

    /// - Parameter permissions: those of this process, which never change; no plan goes beyond them.
    init(permissions: Permissions = Permissions(), keys: KeySecret = .none) { (self.permissions, self.keys) = (permissions, keys) }

    private func forget() {
        plans.removeAll()
        bytes = 0
    }

    /// The plan for these parameters.
    /// - Throws: what is wrong with them.
    func plan(_ params: JSON) throws(TintypeError) -> AdmissionPlan {
        if let known = plans[params] { return known }
        let request = try ImageRequest(params, rules: rules)
        try permissions.check(request)
        let plan = AdmissionPlan(request, isProbe: false, keys: keys)
        // A named receipt is asked for once.
        guard plan.request.receipt == nil, let size = Self.size(params, atMost: Self.longest) else { return plan }
        if bytes + size > Self.capacity || plans.count >= Self.most {
            forget()
        }
        plans[params] = plan
        bytes += size
        return plan
    }

    /// About how many bytes a value takes; nil if it is more than `limit`. Looks no further than it has to.
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
