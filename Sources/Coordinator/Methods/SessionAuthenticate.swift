import TintypeCore
import TintypeImages

/// `session.authenticate`: shows a token; the connection is let in with it from then on.
struct SessionAuthenticate: RPCMethod {
    let name = Door.method
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let grant = try services.door.knock(call.session, params["token"]?.string ?? "")
        call.succeed(["ok": true, "role": .string(grant.role.rawValue)])
    }
}
