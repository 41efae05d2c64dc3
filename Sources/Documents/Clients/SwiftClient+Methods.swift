import TintypeCore
import TintypeImages

/// The methods of the service.
extension SwiftClient {
    var methods: String {
        let head = """
            /// Every method of the service, with its parameters and its result.
            public struct ServiceMethods: Sendable {
                private let caller: any MethodCaller

                /// - Parameter caller: the connection that carries the calls.
                public init(_ caller: any MethodCaller) { self.caller = caller }
            """
        return ([head] + model.methods.map(method)).joined(separator: "\n\n") + "\n}"
    }

    /// The last words of methods whose answer is all that they are called for.
    private static let reading: Set = [
        "contains", "discover", "explain", "get", "info", "list", "load", "probe", "series", "stats", "submit", "url", "validate",
    ]

    private func method(_ method: ClientModel.Method) -> String {
        var signature: [String] = []
        switch method.request {
        case .always: signature.append("_ request: ImageRequest")
        case .perhaps: signature.append("_ request: ImageRequest? = nil")
        case .none: break
        }
        let names = method.parameters.map { SwiftText.member($0.name) }
        signature += zip(method.parameters, names).map { parameter, name in
            "\(name): \(types.type(parameter, of: method.name))" + (parameter.isRequired ? "" : "? = nil")
        }
        var lines = SwiftText.comment(method.summary, indent: 4) + ["    ///"]
        for (parameter, name) in zip(method.parameters, names) {
            lines += SwiftText.comment("- Parameter \(name): \(parameter.meaning)", indent: 4, continued: "  ")
        }
        let (result, member, meaning) = answer(method)
        lines += SwiftText.comment("- Returns: " + meaning + (meaning.hasSuffix(".") ? "" : "."), indent: 4, continued: "  ")
        let role = method.role > .load ? "; `forbidden` without the role `\(method.role.rawValue)`, where tokens are required." : "."
        lines += SwiftText.comment("- Throws: ``TintypeError``\(role)", indent: 4, continued: "  ")
        let last = method.name.split(separator: ".").last.map(String.init) ?? ""
        if !Self.reading.contains(last) { lines.append("    @discardableResult") }
        let name = SwiftText.method(method.name)
        lines += TextLayout.list("public func \(name)(", signature, ") async throws(TintypeError) -> \(result) {", indent: 4)
        let params = zip(method.parameters, names).map { "\"\($0.name)\": \(SwiftText.escaped($1))" }
        let before = "return try await caller.call(\"\(method.name)\"" + (method.request == .none ? "" : ", request: request")
        lines += params.isEmpty ? ["        \(before)\(member))"] : TextLayout.list("\(before), [", params, "]\(member))", indent: 8)
        lines.append("    }")
        return lines.joined(separator: "\n")
    }

    /// The type of an answer, the argument that names its only member, and its meaning.
    private func answer(_ method: ClientModel.Method) -> (type: String, member: String, meaning: String) {
        switch method.typedAnswer {
        case .record(let kind): (types.type(kind), "", meaning(kind) ?? method.answer)
        case .member(let member): (types.type(member, of: method.name), ", member: \"\(member.name)\"", member.summary)
        case nil: (types.type(method.result), "", meaning(method.result) ?? method.answer)
        }
    }

    private func meaning(_ kind: ClientModel.Kind) -> String? {
        switch kind {
        case .named(let name): (model.results + model.answers).first { $0.name == name }?.summary
        case .list(let one): meaning(one).map { "A list. Each: " + $0 }
        case .map(let one): meaning(one).map { "By name: " + $0 }
        case .boolean, .text, .integer, .number, .json, .null, .bytes, .choice, .either: nil
        }
    }
}
