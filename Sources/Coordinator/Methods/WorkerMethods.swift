import TintypeCore
import TintypeTransport
import TintypeQueue

/// `workers.list`: the workers that were heard of lately.
struct WorkersList: RPCMethod {
    let name = "workers.list"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        call.run(in: services.scope) { () async throws(TintypeError) in .array(try await WorkerList.read(services.lanes)) }
    }
}

/// `workers.quiet`: tells a worker to take nothing new, from none of its queues.
struct WorkersQuiet: RPCMethod {
    let name = "workers.quiet"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let worker = params["worker"]?.string ?? ""
        let isQuiet = params["quiet"]?.bool ?? true
        call.run(in: services.scope) { () async throws(TintypeError) in
            var isKnown = false
            do throws(RedisError) {
                try await services.lanes.each { queue throws(RedisError) in if try await queue.quiet(worker: worker, isQuiet) { isKnown = true } }
            } catch {
                throw TintypeError(error)
            }
            guard isKnown else {
                let missing = try await WorkerList.missingQueues(of: worker, services.lanes)
                throw .invalidParams(
                    path: "worker", value: .string(worker),
                    expected: missing.isEmpty
                        ? "the id of a worker in workers.list"
                        : "a worker with work to take; the queues it serves are not there: \(missing.joined(separator: ", "))")
            }
            return ["worker": .string(worker), "quiet": .bool(isQuiet)]
        }
    }
}
