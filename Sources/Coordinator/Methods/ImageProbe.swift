import TintypeCore

/// `image.probe`: what a source is.
struct ImageProbe: RPCMethod {
    let name = "image.probe"
    let isCheckedByDescription = false
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) { try services.admission.probe(call, params) }
}
