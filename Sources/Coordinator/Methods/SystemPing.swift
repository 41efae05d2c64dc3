import TintypeCore

/// `system.ping`: answers at once, whatever else is wrong.
struct SystemPing: RPCMethod {
    let name = "system.ping"

    func begin(_ call: Call, _ params: JSON) { call.succeed("pong") }
}
