import TintypeCore
import TintypeQueue

/// `prefetch.start`: fills the caches, some at a time.
struct PrefetchStart: RPCMethod {
    let name = "prefetch.start"
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let (urls, items) = (params["urls"]?.array, params["items"]?.array)
        guard (urls == nil) != (items == nil) else {
            throw .invalidParams(path: "urls", value: params["urls"].map { .string("(\($0.kind))") }, expected: "either urls or items")
        }
        var group = GroupRecord(id: Groups.newID(), kind: .prefetch)
        group.concurrency = params["concurrency"]?.int ?? 3
        let starter = GroupStarter(services: services, priority: params["priority"] ?? "low", path: urls == nil ? "items" : "urls", hooks: params["hooks"])
        try starter.start(group, items ?? (urls ?? []).map { ["url": $0] }, call)
    }
}
