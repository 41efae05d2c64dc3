import TintypeCore
import TintypeQueue

/// `activity.get`: whether this coordinator shows activity.
struct ActivityGet: RPCMethod {
    let name = "activity.get"
    let services: Services

    func begin(_ call: Call, _ params: JSON) { call.succeed(.object(services.activity.members)) }
}

/// `activity.begin`: counts a client's own work.
struct ActivityBegin: RPCMethod {
    let name = "activity.begin"
    let services: Services

    /// The most activities of one connection at once.
    private static let most = 100

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        guard call.session.ownsReceipts else {
            throw TintypeError(.invalidRequest, .admission, "an activity ends with its connection: use JSON-RPC over TCP")
        }
        guard let id = call.session.beginActivity(most: Self.most, end: { [activity = services.activity] in activity.end() }) else {
            throw TintypeError(
                .limitExceeded, .admission, "this connection already has \(Self.most) activities: end some by activity.end",
                details: ["limit": "activities", "value": JSON(Self.most + 1), "allowed": JSON(Self.most)])
        }
        services.activity.begin()
        call.succeed(["activity": .string(id)])
    }
}

/// `activity.end`: ends a client's own work.
struct ActivityEnd: RPCMethod {
    let name = "activity.end"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        call.succeed(["ended": .bool(call.session.end(activity: params["activity"]?.string ?? ""))])
    }
}

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

/// `stats.series`: what the fleet did, by the second, by fifteen seconds or by the minute.
struct StatsSeries: RPCMethod {
    let name = "stats.series"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let wanted = params["step"]?.int ?? 1
        guard let step = StatisticsRings.Step(rawValue: wanted) else {
            return call.fail(.invalidParams(path: "step", value: JSON(wanted), expected: "1, 15 or 60"))
        }
        let points = services.statistics.points(step, after: params["since"]?.int ?? 0)
        call.succeed(["step": JSON(wanted), "bounds": .array(StatisticsPoint.bounds.map { JSON($0) }), "points": .array(points.map(\.json))])
    }
}
