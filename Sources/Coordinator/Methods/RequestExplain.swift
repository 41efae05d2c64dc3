import TintypeCore
import TintypeImages

/// `request.explain`: how a request would be carried out, and which rule sets each part.
struct RequestExplain: RPCMethod {
    let name = "request.explain"
    let isCheckedByDescription = false
    let admission: Admission

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let admission = admission
        let explanation = try RequestExplanation(params, rules: admission.rules)
        let plan = try admission.plan(explanation.request)
        var answer = try explanation.json()
        answer["source"] = .string(plan.sourceDigest)
        answer["renditions"] = .array(plan.outputs.filter { !$0.isTold }.map { ["name": .string($0.name), "key": .string($0.digest)] })
        (answer["queue"], answer["priority"]) = (.string(plan.request.queue), JSON(plan.request.priority))
        call.succeed(.object(answer))
    }
}
