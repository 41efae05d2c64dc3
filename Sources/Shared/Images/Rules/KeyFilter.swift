import TintypeCore
import TintypeTransport

/// Which of a URL's query parameters tell one source from another: those that do not are no part of its key. A pure value.
struct KeyFilter: Sendable, Hashable {
    /// Nothing but these stays; nil: everything.
    private let keep: [NamePattern]?
    private let drop: [NamePattern]
    private let sorts: Bool

    static let parameters: [ParameterDescription] = [
        ParameterDescription(
            "drop", NamePattern.list, "Names of query parameters that are no part of the key, such as signatures; * at the end stands for anything."),
        ParameterDescription("keep", NamePattern.list, "The only names that are part of it."),
        ParameterDescription("sort", .boolean, default: false, "Whether their order makes no difference."),
    ]

    /// Reads validated JSON.
    init(_ json: JSON) {
        keep = json["keep"].flatMap { $0.isNull ? nil : NamePattern.all($0) }
        drop = NamePattern.all(json["drop"])
        sorts = json["sort"]?.bool ?? false
    }

    /// The URL that stands for this one in keys.
    func key(of url: URLParts) -> URLParts {
        var url = url
        var params = url.params.filter { param in
            let name = param.name
            return keep?.contains { $0.matches(name) } ?? true && !drop.contains { $0.matches(name) }
        }
        if sorts { params = params.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element) }
        url.params = params
        return url
    }
}
