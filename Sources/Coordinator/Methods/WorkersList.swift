import TintypeCore

/// `workers.list`: the workers that were heard of lately.
struct WorkersList: RPCMethod {
    let name = "workers.list"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        call.run(in: services.scope) { () async throws(TintypeError) in .array(try await WorkerList.read(services.lanes)) }
    }
}
