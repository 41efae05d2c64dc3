import TintypeCore

/// One step by which a rule changes a URL. A pure value.
enum URLFilter: Sendable, Hashable {
    /// Replaces the parameters of these names.
    case setParams([URLParts.Param])
    /// Adds the parameters whose names the URL does not have.
    case addParams([URLParts.Param])
    case dropParams([NamePattern])
    /// A host, perhaps with a port.
    case host(String)
    /// Replaces a prefix of the path.
    case path(from: String, to: String)

    static let parameters: [ParameterDescription] = [
        ParameterDescription("setParams", .map(of: .string(maxLength: 8192)), secret: true, "Query parameters that replace those of the same name."),
        ParameterDescription("addParams", .map(of: .string(maxLength: 8192)), secret: true, "Query parameters to add if there is none of the name."),
        ParameterDescription("dropParams", NamePattern.list, "Names of query parameters to remove. A * at the end matches any ending."),
        ParameterDescription("host", .pattern(expectation: "a host, perhaps with :port") { isPlace($0) }, "The new host."),
        ParameterDescription(
            "path",
            .object([
                ParameterDescription("from", Self.pathType, required: true, "The beginning of the path to replace."),
                ParameterDescription("to", Self.pathType, required: true, "The new beginning."),
            ]), "Replaces the beginning `from` of the path by `to`."),
    ]

    private static let pathType = ParameterType.pattern(expectation: "a path in ASCII that begins with /, without ? and #") {
        $0.utf8.first == UInt8(ascii: "/") && $0.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    }

    private static func isPlace(_ text: String) -> Bool {
        !text.contains("@") && URLParts("http://\(text)").map { $0.place == text && $0.path.isEmpty && $0.query == nil } ?? false
    }

    /// Reads validated JSON.
    /// - Throws: `invalidParams` unless it is one step.
    init(_ json: JSON, at path: String) throws(TintypeError) {
        let members = (json.object?.members ?? []).filter { !$0.value.isNull }
        guard members.count == 1, let (name, value) = members.first else {
            throw .invalidParams(path: path, value: JSON(members.count), expected: "one step: one of " + Self.parameters.map(\.name).joined(separator: ", "))
        }
        func params() -> [URLParts.Param] { (value.object?.members ?? []).map { URLParts.Param($0.key, $0.value.string ?? "") } }
        switch name {
        case "setParams": self = .setParams(params())
        case "addParams": self = .addParams(params())
        case "dropParams": self = .dropParams(NamePattern.all(value))
        case "host": self = .host(value.string ?? "")
        default: self = .path(from: value["from"]?.string ?? "/", to: value["to"]?.string ?? "/")
        }
    }

    func apply(to url: inout URLParts) {
        switch self {
        case .setParams(let params):
            let names = Set(params.map { ExactText($0.name) })
            url.params = url.params.filter { !names.contains(ExactText($0.name)) } + params
        case .addParams(let params):
            let names = Set(url.params.map { ExactText($0.name) })
            url.params += params.filter { !names.contains(ExactText($0.name)) }
        case .dropParams(let patterns): url.params.removeAll { param in patterns.contains { $0.matches(param.name) } }
        case .host(let place): url.place = place
        case .path(let from, let to):
            let path = url.path.isEmpty ? "/" : url.path
            if path.utf8.starts(with: from.utf8) { url.path = to + Substring(path.utf8.dropFirst(from.utf8.count)) }
        }
    }
}
