import TintypeCore
import TintypeImages
import TintypeTransport

/// The methods `image.*` and `request.explain`. Their own checks are stricter than those of the description.
@Loop
struct ImageMethods {
    let admission: Admission

    var all: [CoreMethod] {
        [
            // Answers when the work is done.
            CoreMethod("image.load", isChecked: false) { [admission] call, params throws(TintypeError) in try admission.load(call, params) },
            // Answers as soon as the receipt is in Redis.
            CoreMethod("image.submit", isChecked: false, admission.submit),
            // Answers with the properties of a source.
            CoreMethod("image.probe", isChecked: false, admission.probe), CoreMethod("request.explain", isChecked: false, explain),
        ]
    }

    /// Tells how a request would be carried out, and which rule sets each part.
    private func explain(_ call: Call, _ params: JSON) throws(TintypeError) {
        let explanation = try RequestExplanation(params, rules: admission.rules)
        let plan = try admission.plan(explanation.request)
        var answer = try explanation.json()
        answer["source"] = .string(plan.sourceDigest)
        answer["renditions"] = .array(plan.outputs.filter { !$0.isTold }.map { ["name": .string($0.name), "key": .string($0.digest)] })
        (answer["queue"], answer["priority"]) = (.string(plan.request.queue), JSON(plan.request.priority))
        call.succeed(.object(answer))
    }
}
