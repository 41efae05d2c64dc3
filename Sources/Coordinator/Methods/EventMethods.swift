import TintypeCore
import TintypeQueue

/// `events.subscribe`: sends events of others to this connection.
struct EventsSubscribe: RPCMethod {
    let name = "events.subscribe"
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let receipts = params["receipts"]?.array?.compactMap(\.string) ?? []
        let groups = params["groups"]?.array?.compactMap(\.string) ?? []
        let queue = params["queue"]?.string
        let workers = params["workers"]?.bool ?? false
        let activity = params["activity"]?.bool ?? false
        guard call.session.canNotify else {
            throw TintypeError(.invalidRequest, .admission, "notifications need a connection of their own: use JSON-RPC over TCP")
        }
        guard !receipts.isEmpty || !groups.isEmpty || queue != nil || workers || activity else {
            throw .invalidParams(path: "", value: params, expected: "receipts, groups, queue, workers: true or activity: true")
        }
        call.run(in: services.scope) { () async throws(TintypeError) in
            for group in groups { _ = try await services.groups.read(group, .state, for: call.session) }
            let id = try await services.subscriptions.add(
                receipts: receipts, groups: groups, queue: queue, watchesWorkers: workers, watchesActivity: activity, for: call.session)
            return ["subscription": .string(id)]
        }
    }
}

/// `events.unsubscribe`: ends a subscription of this connection.
struct EventsUnsubscribe: RPCMethod {
    let name = "events.unsubscribe"

    func begin(_ call: Call, _ params: JSON) {
        call.succeed(["removed": .bool(call.session.remove(subscription: params["subscription"]?.string ?? ""))])
    }
}
