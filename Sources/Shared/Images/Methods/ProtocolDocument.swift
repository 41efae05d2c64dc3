import TintypeCore

/// The page `docs/protocol.md`, made from the descriptions. A test compares the file with it.
package enum ProtocolDocument {
    private static let request = SharedObject(
        "ImageRequest", "Describes an image and how to load it. `image.load` and every other method with a request take these members.",
        ImageRequest.parameters)
    /// The sections on objects, in the order of the page. A section links to every other one.
    private static let objects = [
        request,
        SharedObject("Fetch", "`fetch` of a request: how to download the source.", FetchOptions.parameters),
        SharedObject("Cache", "`cache` of a request: which caches to read and write.", ImageRequest.cacheParameters),
        SharedObject("Rendition", "A member of `renditions`: one output of a request.", Rendition.parameters),
        SharedObject("Decode", "`decode` of a request: how to decode the source.", DecodeOptions.parameters),
        SharedObject("Output", "`output` of a request or of a rendition: how to encode the result.", OutputOptions.parameters),
    ]

    package static func markdown() -> String {
        var lines = ["# Protocol", "", ProtocolText.introduction, "", "## Objects", ""]
        for object in objects {
            lines += ["### \(object.name)", "", object.summary, ""] + table(object.members, linking: objects.filter { $0.name != object.name })
        }
        lines += ["## Methods", ""]
        for method in MethodCatalogue.methods { lines += section(method) }
        lines += ["## Operations", "", "`transform` is a list of these operations, applied in order.", ""]
        for operation in OperationCatalogue.descriptions {
            lines += ["### `\(operation.name)`", "", sentences(operation.summary), ""] + table(operation.parameters, linking: objects)
        }
        lines += ["## Errors", "", "`error.data` always has `{name, phase, retryable, message}`, and the members that the table names.", ""]
        lines += [ProtocolText.errorRules, ""]
        lines += ["| code | name | retryable | when |", "|---|---|---|---|"]
        lines += ErrorName.allCases.map { "| \($0.code) | \($0.rawValue) | \($0.isRetryable ? "yes" : "no") | \($0.meaning) |" }
        lines += ["", "Phases: \(Phase.allCases.map(\.rawValue).joined(separator: ", "))."]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func section(_ method: MethodDescription) -> [String] {
        var lines = ["### `\(method.name)`", "", sentences(method.summary), ""]
        var (own, shared) = request.split(method.parameters)
        // A method that has only a few names in common with a request takes no request.
        if shared.count < request.members.count / 2 { (own, shared) = (method.parameters, []) }
        if shared.count == request.members.count {
            lines += ["Takes the members of an \(request.link)\(own.isEmpty ? "." : ", and:")", ""]
        } else if !shared.isEmpty {
            let left = request.members.filter { !shared.contains($0.name) }.map { "`\($0.name)`" }
            lines += ["Takes the members of an \(request.link) except \(left.joined(separator: ", "))\(own.isEmpty ? "." : ", and:")", ""]
        }
        if !own.isEmpty { lines += table(own, linking: objects) }
        lines += ["→ \(method.result)", ""]
        if method.role > .load { lines += ["Token role: `\(method.role.rawValue)`.", ""] }
        return lines
    }

    private static func table(_ members: [ParameterDescription], linking objects: [SharedObject]) -> [String] {
        members.isEmpty ? [] : ParameterTable.header + ParameterTable(objects: objects).rows(members) + [""]
    }

    /// A paragraph with a line for each sentence, so that a change shows as one line.
    private static func sentences(_ text: String) -> String { text.replacing(/([.?!]) (?=[A-Z`])/) { "\($0.output.1)\n" } }
}
