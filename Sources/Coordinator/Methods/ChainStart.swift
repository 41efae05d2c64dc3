import TintypeCore
import TintypeQueue

/// `chain.start`: one image after the other.
struct ChainStart: RPCMethod {
    let name = "chain.start"
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        var group = GroupRecord(id: Groups.newID(), kind: .chain)
        group.isStrict = true
        try GroupStarter(services: services, path: "steps", mayRefer: true, hooks: params["hooks"]).start(group, params["steps"]?.array ?? [], call)
    }
}
