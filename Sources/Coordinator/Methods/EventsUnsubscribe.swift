import TintypeCore

/// `events.unsubscribe`: ends a subscription of this connection.
struct EventsUnsubscribe: RPCMethod {
    let name = "events.unsubscribe"

    func begin(_ call: Call, _ params: JSON) {
        call.succeed(["removed": .bool(call.session.remove(subscription: params["subscription"]?.string ?? ""))])
    }
}
