import TintypeCore
import TintypeTransport
import TintypeQueue

/// `workers.list`: lists the workers with a recent heartbeat.
struct WorkersList: RPCMethod {
    let name = "workers.list"
    let scope: TaskScope
    let registry: QueueRegistry

    func begin(_ call: Call, _ params: JSON) {
        call.run(in: scope) { () async throws(TintypeError) in .array(try await WorkerList.read(registry)) }
    }
}

/// `workers.quiet`: drains a worker, so that it claims nothing new from any of its queues, or ends the draining.
struct WorkersQuiet: RPCMethod {
    let name = "workers.quiet"
    let scope: TaskScope
    let registry: QueueRegistry

    func begin(_ call: Call, _ params: JSON) {
        let worker = params["worker"]?.string ?? ""
        let isQuiet = params["quiet"]?.bool ?? true
        call.run(in: scope) { () async throws(TintypeError) in
            var isKnown = false
            do throws(RedisError) {
                try await registry.each { queue throws(RedisError) in if try await queue.quiet(worker: worker, isQuiet) { isKnown = true } }
            } catch {
                throw TintypeError(error)
            }
            guard isKnown else {
                let missing = try await WorkerList.missingQueues(of: worker, registry)
                throw .invalidParams(
                    path: "worker", value: .string(worker),
                    expected: missing.isEmpty
                        ? "the id of a worker in workers.list"
                        : "a worker that serves an existing queue; its queues do not exist: \(missing.joined(separator: ", "))")
            }
            return ["worker": .string(worker), "quiet": .bool(isQuiet)]
        }
    }
}
