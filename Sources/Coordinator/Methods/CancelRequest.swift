import TintypeCore

/// `$/cancelRequest`: withdraws a request in flight on the same connection. A notification; as a request it is answered too.
struct CancelRequest: RPCMethod {
    let name = "$/cancelRequest"

    func begin(_ call: Call, _ params: JSON) {
        if let id = params["id"] { call.session.cancel(id) }
        call.succeed(.null)
    }
}
