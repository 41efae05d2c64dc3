import TintypeCore
import TintypeImages

/// `image.load`: answers when the work is done.
struct ImageLoad: RPCMethod {
    let name = "image.load"
    let isCheckedByDescription = false
    let admission: Admission

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) { try admission.load(call, params) }
}

/// `image.submit`: answers as soon as the receipt is in Redis.
struct ImageSubmit: RPCMethod {
    let name = "image.submit"
    let isCheckedByDescription = false
    let admission: Admission

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) { try admission.submit(call, params) }
}

/// `image.probe`: answers with the properties of a source.
struct ImageProbe: RPCMethod {
    let name = "image.probe"
    let isCheckedByDescription = false
    let admission: Admission

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) { try admission.probe(call, params) }
}
