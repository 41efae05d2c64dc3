import TintypeCore

/// `image.load`: answers when the work is done.
struct ImageLoad: RPCMethod {
    let name = "image.load"
    let isCheckedByDescription = false
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) { try services.admission.load(call, params) }
}
