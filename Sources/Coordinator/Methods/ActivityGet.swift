import TintypeCore

/// `activity.get`: whether this coordinator works on something, as an indicator would show it.
struct ActivityGet: RPCMethod {
    let name = "activity.get"
    let services: Services

    func begin(_ call: Call, _ params: JSON) { call.succeed(.object(services.activity.members)) }
}
