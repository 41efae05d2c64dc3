import Coordinator
import TintypeCore
import TintypeQueue

/// `activity.get`: whether this coordinator shows activity.
struct ActivityGet: RPCMethod {
    let name = "activity.get"
    let activity: ActivityMonitor

    func begin(_ call: Call, _ params: JSON) { call.succeed(.object(activity.members)) }
}

/// `activity.begin`: counts a client's own work.
struct ActivityBegin: RPCMethod {
    let name = "activity.begin"
    let activity: ActivityMonitor

    /// The most activities of one connection at once.
    private static let most = 100

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        guard call.session.ownsReceipts else {
            throw TintypeError(.invalidRequest, .admission, "an activity ends with its connection: use JSON-RPC over TCP")
        }
        guard let id = call.session.beginActivity(most: Self.most, end: { [activity = activity] in activity.end() }) else {
            throw TintypeError(
                .limitExceeded, .admission, "this connection already has \(Self.most) activities: end some by activity.end",
                details: ["limit": "activities", "value": JSON(Self.most + 1), "allowed": JSON(Self.most)])
        }
        activity.begin()
        call.succeed(["activity": .string(id)])
    }
}

/// `activity.end`: ends a client's own work.
struct ActivityEnd: RPCMethod {
    let name = "activity.end"

    func begin(_ call: Call, _ params: JSON) {
        call.succeed(["ended": .bool(call.session.end(activity: params["activity"]?.string ?? ""))])
    }
}
