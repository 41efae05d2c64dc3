import TintypeCore
import TintypeTransport

/// What of a URL tells one source from another: hosts and paths that stand for one, and query parameters that are no part of its key. A pure value.
struct KeyFilter: Sendable, Hashable {
    /// Nothing but these stays; nil: everything.
    private let keep: [NamePattern]?
    private let drop: [NamePattern]
    private let sorts: Bool
    /// The first that fits counts.
    private let map: [KeyPattern]

    static let parameters: [ParameterDescription] = [
        ParameterDescription(
            "drop", NamePattern.list, "Names of query parameters that are no part of the key, such as signatures; * at the end stands for anything."),
        ParameterDescription("keep", NamePattern.list, "The only names that are part of it."),
        ParameterDescription("sort", .boolean, default: false, "Whether their order makes no difference."),
        ParameterDescription(
            "map", .array(of: .object(KeyPattern.parameters), count: 1...64),
            "Hosts and paths that stand for one, so that mirrors are one source; the first that fits counts."),
    ]

    /// Reads validated JSON.
    /// - Throws: `invalidParams` for what the description cannot say.
    init(_ json: JSON, at path: String) throws(TintypeError) {
        keep = json["keep"].flatMap { $0.isNull ? nil : NamePattern.all($0) }
        drop = NamePattern.all(json["drop"])
        sorts = json["sort"]?.bool ?? false
        var map: [KeyPattern] = []
        for (index, one) in (json["map"]?.array ?? []).enumerated() { map.append(try KeyPattern(one, at: "\(path).map[\(index)]")) }
        self.map = map
    }

    /// The URL that stands for this one in keys.
    func key(of url: URLParts) -> URLParts {
        var url = mapped(url)
        var params = url.params.filter { param in
            let name = param.name
            return keep?.contains { $0.matches(name) } ?? true && !drop.contains { $0.matches(name) }
        }
        if sorts { params = params.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element) }
        url.params = params
        return url
    }

    /// Keeps scheme, port, user and query.
    private func mapped(_ url: URLParts) -> URLParts {
        // As downloads will see it, not as it is spelt.
        guard !map.isEmpty, let seen = TransferURL(url.text), let host = seen.plainHost, let path = URLParts(seen.text)?.plainPath,
            let new = map.lazy.compactMap({ $0.replacement(host: host, path: path) }).first
        else { return url }
        var mapped = url
        mapped.place = seen.port == (seen.scheme == "https" ? 443 : 80) ? new.host : "\(new.host):\(seen.port)"
        mapped.path = new.path
        return mapped
    }
}
