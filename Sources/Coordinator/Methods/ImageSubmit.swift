import TintypeCore

/// `image.submit`: answers as soon as the receipt is in Redis.
struct ImageSubmit: RPCMethod {
    let name = "image.submit"
    let isCheckedByDescription = false
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) { try services.admission.submit(call, params) }
}
