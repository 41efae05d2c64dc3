import TintypeCore
import TintypeImages

/// `image.load`: answers when the work is done.
struct ImageLoad: RPCMethod {
    let name = "image.load"
    let isCheckedByDescription = false
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) { try services.admission.load(call, params) }
}

/// `image.submit`: answers as soon as the receipt is in Redis.
struct ImageSubmit: RPCMethod {
    let name = "image.submit"
    let isCheckedByDescription = false
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) { try services.admission.submit(call, params) }
}

/// `image.probe`: answers with the properties of a source.
struct ImageProbe: RPCMethod {
    let name = "image.probe"
    let isCheckedByDescription = false
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) { try services.admission.probe(call, params) }
}

/// `request.explain`: how a request would be carried out, and which rule sets each part.
struct RequestExplain: RPCMethod {
    let name = "request.explain"
    let isCheckedByDescription = false
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let admission = services.admission
        let explanation = try RequestExplanation(params, rules: admission.rules)
        let plan = try admission.plan(explanation.request)
        var answer = try explanation.json()
        answer["source"] = .string(plan.sourceDigest)
        answer["renditions"] = .array(plan.outputs.filter { !$0.isTold }.map { ["name": .string($0.name), "key": .string($0.digest)] })
        (answer["queue"], answer["priority"]) = (.string(plan.request.queue), JSON(plan.request.priority))
        call.succeed(.object(answer))
    }
}
