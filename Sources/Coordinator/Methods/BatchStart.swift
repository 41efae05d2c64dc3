import TintypeCore
import TintypeQueue

/// `batch.start`: many images as one, with results in the order of the items.
struct BatchStart: RPCMethod {
    let name = "batch.start"
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        var group = GroupRecord(id: Groups.newID(), kind: .batch)
        group.isStrict = params["mode"] != "settleAll"
        group.concurrency = params["concurrency"]?.int ?? 64
        try GroupStarter(services: services, path: "items", hooks: params["hooks"]).start(group, params["items"]?.array ?? [], call)
    }
}
