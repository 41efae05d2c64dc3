import TintypeContracts
import TintypeCore
import TintypeImages
import TintypeSettings

/// The meaning of a name on a page, and of a value after it: `cache.policy: "only"`, `resize.fit`, `blacklist.list`, `--rules`.
enum DescribedName {
    case unknown, known
    /// The name exists, and does not accept the value.
    case refused(String)

    /// - Parameter methods: the methods whose parameters may be named, beside the members of requests and rules.
    init(_ text: String, of methods: [MethodDescription]) {
        let parts = text.split(separator: ": ", maxSplits: 1).map { String($0) }
        let types = parts.first.map { Self.types(of: $0, methods) } ?? []
        guard parts.count == 2 else {
            self = types.isEmpty && !Self.isWord(text) ? .unknown : .known
            return
        }
        self = .unknown
        for type in types {
            do {
                try type.validate(JSON(parsing: parts[1]), at: parts[0])
                self = .known
                return
            } catch {
                self = .refused("\(error)")
            }
        }
    }

    /// Whether a name is that of a method, an operation, an error, a metric or a setting.
    private static func isWord(_ name: String) -> Bool {
        MethodCatalog.method(name) != nil || OperationCatalog.descriptions.contains { $0.name == name } || ErrorName(rawValue: name) != nil
            || Metric.allCases.contains { $0.description.name == name } || flags.contains(name)
    }

    private static let flags = Set(
        (CoordinatorConfiguration.settings.map(\.flag) + WorkerConfiguration.settings.map(\.flag) + UpSettings.settings.map(\.flag)).map { "--" + $0 })

    /// The types by name: a path such as `fetch.timeouts.idle` or `rules[].access`, or `resize.fit` for an operation.
    private static func types(of name: String, _ methods: [MethodDescription]) -> [ParameterType] {
        let path = name.split(separator: ".").map { String($0.hasSuffix("[]") ? $0.dropLast(2) : $0) }
        let operation = OperationCatalog.descriptions.filter { $0.name == path.first }.compactMap { type(of: path.dropFirst(), in: $0.parameters) }
        let members = [ImageRequest.parameters, Rules.parameters] + methods.map(\.parameters)
        return operation + members.compactMap { type(of: path[...], in: $0) }
    }

    private static func type(of path: ArraySlice<String>, in descriptions: [ParameterDescription]) -> ParameterType? {
        guard let name = path.first, let found = descriptions.first(where: { $0.name == name }) else { return nil }
        return path.count == 1 ? found.type : type(of: path.dropFirst(), in: found.type.members)
    }
}

extension ParameterType {
    /// The members of a type, and of the types inside it.
    var members: [ParameterDescription] {
        switch self {
        case .object(let members): members
        case .array(let element, _), .map(let element, _): element.members
        case .variants(_, let all):
            all.flatMap(\.members).reduce(into: []) { found, one in if !found.contains(where: { $0.name == one.name }) { found.append(one) } }
        case .union(let types): types.flatMap(\.members)
        default: []
        }
    }
}
