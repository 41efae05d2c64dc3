import TintypeCore

/// `activity.get`: whether this coordinator works on something, as an indicator would show it.
struct ActivityGet: RPCMethod {
    let name = "activity.get"
    let services: Services

    func begin(_ call: Call, _ params: JSON) { call.succeed(.object(services.activity.members)) }
}

/// `activity.begin`: a client's own work counts, too.
struct ActivityBegin: RPCMethod {
    let name = "activity.begin"
    let services: Services

    /// Activities of one connection at once.
    private static let most = 100

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        guard call.session.ownsReceipts else {
            throw TintypeError(.invalidRequest, .admission, "work ends with the connection that has begun it: use JSON-RPC over TCP")
        }
        guard let id = call.session.beginActivity(most: Self.most, end: { [activity = services.activity] in activity.end() }) else {
            throw TintypeError(
                .limitExceeded, .admission, "this connection has begun \(Self.most) activities already; end some by activity.end",
                details: ["limit": "activities", "value": JSON(Self.most + 1), "allowed": JSON(Self.most)])
        }
        services.activity.begin()
        call.succeed(["activity": .string(id)])
    }
}

/// `activity.end`: a client's own work has ended.
struct ActivityEnd: RPCMethod {
    let name = "activity.end"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        call.succeed(["ended": .bool(call.session.end(activity: params["activity"]?.string ?? ""))])
    }
}
