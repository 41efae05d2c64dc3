import TintypeCore
import TintypeImages
import TintypeQueue

/// `chain.append`: more steps for a chain that runs.
struct ChainAppend: RPCMethod {
    let name = "chain.append"
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        try services.admission.checkOpen()
        let group = params["group"]?.string ?? ""
        let starter = GroupStarter(services: services, path: "steps", mayRefer: true)
        call.run(in: services.scope) { () async throws(TintypeError) in
            let steps = try await starter.read(params["steps"]?.array ?? [], call.session)
            let expected: String
            switch try await services.groups.append(steps, to: group, for: call.session.sharer) {
            case .ok: return ["group": .string(group)]
            case .unknown: throw Groups.unknown(group)
            case .ended: expected = "a chain that has not ended"
            case .otherKind: expected = "a chain"
            case .full(let count):
                throw .invalidParams(
                    path: "steps", value: JSON(steps.count), expected: "at most \(MethodCatalogue.mostGroupItems - count) steps more")
            case .long(let bytes):
                throw TintypeError(
                    .overloaded, .admission,
                    "the steps of this chain that have not ended are \(bytes) bytes long, and at most \(GroupRecord.mostAsked) may be; try again in 5 s",
                    details: ["retryAfter": 5])
            }
            throw .invalidParams(path: "group", value: .string(group), expected: expected)
        }
    }
}
