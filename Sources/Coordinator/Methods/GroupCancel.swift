import TintypeCore
import TintypeQueue

/// `group.cancel`: ends a group and withdraws what it has begun.
struct GroupCancel: RPCMethod {
    let name = "group.cancel"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let group = params["group"]?.string ?? ""
        call.run(in: services.scope) { () async throws(TintypeError) in
            switch try await services.groups.cancel(group) {
            case .cancelled: ["cancelled": true]
            case .finished: ["cancelled": false, "reason": "finished"]
            case .unknown: ["cancelled": false, "reason": "unknown"]
            }
        }
    }
}
