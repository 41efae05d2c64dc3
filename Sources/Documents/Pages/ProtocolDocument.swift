import TintypeContracts
import TintypeCore
import TintypeImages

/// The page `docs/protocol.md`, made from the descriptions. A test compares the file with it.
enum ProtocolDocument {
    private static let request = SharedObject("ImageRequest", "Describes an image and how to load it.", ImageRequest.parameters)
    /// The members that say which images a method of the cache means, beside those of a request.
    private static let target = SharedObject(
        "CacheTarget", "The images that a method of the cache means: one of these members, or those of an \(request.link).",
        MethodCatalog.cacheTarget)
    /// The sections on objects, in the order of the page. A section links to every other one.
    static let objects = [
        request,
        SharedObject("Fetch", "`fetch` of a request: how to download the source.", FetchOptions.parameters),
        SharedObject("Cache", "`cache` of a request: which caches to read and write.", ImageRequest.cacheParameters),
        SharedObject("Rendition", "A member of `renditions`: one output of a request.", Rendition.parameters),
        SharedObject("Decode", "`decode` of a request: how to decode the source.", DecodeOptions.parameters),
        SharedObject("Output", "`output` of a request or of a rendition: how to encode the result.", OutputOptions.parameters),
        target,
    ]
    /// The types with a line in the section Values.
    private static let values = [
        SharedValue("id", ImageRequest.receiptType), SharedValue("queue", ImageRequest.queueType), SharedValue("key", CacheTier.keyType),
        SharedValue("tier", .choice(CacheTier.names)), SharedValue("priority", ImageRequest.priorityType, "; low is -4, normal 0, high 4"),
        SharedValue("color", Color.parameter),
        SharedValue("place", Gravity.anchor),
        SharedValue("point", Gravity.fractions, ", each from 0 to 1, as parts of width and height from the upper left corner"),
        SharedValue(
            "offsets", Gravity.offsets,
            ": a place, and the distance from its edges, or from the middle to the right and down. Numbers between -1 and 1 are parts of the side, others "
                + "are pixels"),
        SharedValue("blend", .choice(Blend.names)),
        SharedValue("tiles", Tiling.type, ", gaps of columns and rows: below 1 parts of the side, else pixels"),
    ]

    static func markdown() -> String {
        var lines = ["# Protocol", "", ProtocolText.introduction, "", "## Objects", "", ProtocolText.objects, "", "### Values", ""]
        lines += values.map { $0.line(naming: values) } + [""]
        for object in objects {
            lines += ["### \(object.name)", "", object.summary, ""] + list(object.members, linking: objects.filter { $0.name != object.name })
        }
        lines += ["## Methods", "", ProtocolText.methods, ""]
        for method in MethodCatalog.methods where !isOfDashboard(method) { lines += section(method) }
        lines += ["## Operations", "", "`transform` is a list of these operations, applied in order.", ""]
        var before: OperationDescription?
        for operation in OperationCatalog.descriptions {
            lines += ["### `\(operation.name)`", "", operation.summary.sentences(), ""]
            if let before, operation.hasParameters(of: before) {
                lines += ["Takes the parameters of [\(before.name)](#\(before.name)).", ""]
            } else {
                lines += list(operation.parameters, linking: objects)
            }
            before = operation
        }
        lines += ["## Errors", "", "`error.data` always has `{name, phase, retryable, message}`, and the members that the table names.", ""]
        lines += [ProtocolText.errorRules, ""]
        lines += ["| code | name | retryable | when |", "|---|---|---|---|"]
        lines += ErrorName.allCases.map { "| \($0.code) | \($0.rawValue) | \($0.isRetryable ? "yes" : "no") | \($0.meaning) |" }
        lines += ["", "Phases: \(Phase.allCases.map(\.rawValue).joined(separator: ", "))."]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Whether a method is behind the dashboard. docs/http.md describes those.
    private static func isOfDashboard(_ method: MethodDescription) -> Bool {
        ["stats.", "runs.", "hosts.", "pictures.", "failures."].contains { method.name.hasPrefix($0) }
    }

    static func dashboard() -> String {
        // The links lead to headings of the page of the protocol.
        let text = MethodCatalog.methods.filter(isOfDashboard).flatMap(section).dropLast().joined(separator: "\n") + "\n"
        return text.replacing("](#", with: "](protocol.md#")
    }

    private static func section(_ method: MethodDescription) -> [String] {
        var lines = ["### `\(method.name)`", "", method.summary.sentences(), ""]
        let own = method.parameters.filter { parameter in !target.members.contains { $0.means(parameter) } }
        let hasTarget = own.count == method.parameters.count - target.members.count
        lines += parameters(hasTarget ? own : method.parameters, hasTarget: hasTarget)
        lines += ["→ \(method.result)", ""] + method.example.markdown(for: method.name)
        if method.role > .load { lines += ["Role: `\(method.role.rawValue)`.", ""] }
        return lines
    }

    private static func parameters(_ all: [ParameterDescription], hasTarget: Bool) -> [String] {
        var (own, shared) = request.split(all)
        // A method that has only a few names in common with a request takes no request.
        if shared.count < request.members.count / 2 { (own, shared) = (all, []) }
        guard !shared.isEmpty else { return list(own, linking: objects) }
        let left = request.members.filter { !shared.contains($0.name) }.map { "`\($0.name)`" }
        let object = hasTarget ? "a \(target.link)" : "an \(request.link)"
        let words = "Takes \(object)\(left.isEmpty ? "" : " without \(left.joined(separator: ", "))")"
        return own.isEmpty ? [words + ".", ""] : [words + ", and:", ""] + list(own, linking: objects)
    }

    private static func list(_ members: [ParameterDescription], linking objects: [SharedObject]) -> [String] {
        members.isEmpty ? [] : ParameterList(objects: objects, values: values).lines(members) + [""]
    }
}

extension OperationDescription {
    /// Whether another operation has the same parameters, and some.
    fileprivate func hasParameters(of other: OperationDescription) -> Bool {
        !parameters.isEmpty && parameters.elementsEqual(other.parameters, by: { $0.means($1) })
    }
}

extension MethodExample {
    /// The example as a block of code: the request without `jsonrpc` and `id`, and the answer.
    fileprivate func markdown(for method: String) -> [String] {
        let request: JSON = ["method": .string(method), "params": params]
        var lines = ["```json", request.text]
        if let result { lines.append((["result": result] as JSON).text) }
        return lines + ["```", ""] + (isShortened ? ["Shortened.", ""] : [])
    }
}
