import TintypeCore

/// The parts of a URL that belong to a source's key: which hosts and paths are equal, and which query parameters count. A pure value.
struct KeyFilter: Sendable, Hashable {
    /// The only query parameters to keep; nil: all.
    private let keep: [NamePattern]?
    private let drop: [NamePattern]
    private let sorts: Bool
    /// The first matching pattern counts.
    private let map: [KeyPattern]

    static let parameters: [ParameterDescription] = [
        ParameterDescription(
            "drop", NamePattern.list, "Query parameters to leave out of the key, such as signatures. A * at the end matches any ending."),
        ParameterDescription("keep", NamePattern.list, "The only query parameters in the key."),
        ParameterDescription("sort", .boolean, default: false, "Whether to ignore the order of query parameters."),
        ParameterDescription(
            "map", .array(of: .object(KeyPattern.parameters), count: 1...64),
            "Hosts and paths that are equal in keys, so that mirrors are one source. The first match counts."),
    ]

    /// Reads validated JSON.
    /// - Throws: `invalidParams` for errors that the description cannot express.
    init(_ json: JSON, at path: String) throws(TintypeError) {
        keep = json["keep"].flatMap { $0.isNull ? nil : NamePattern.all($0) }
        drop = NamePattern.all(json["drop"])
        sorts = json["sort"]?.bool ?? false
        var map: [KeyPattern] = []
        for (index, one) in (json["map"]?.array ?? []).enumerated() { map.append(try KeyPattern(one, at: "\(path).map[\(index)]")) }
        self.map = map
    }

    /// Returns the URL that stands for this one in keys.
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

    /// Returns the URL with host and path replaced. Scheme, port, user and query stay.
    private func mapped(_ url: URLParts) -> URLParts {
        // The URL as downloads see it, not as it is written.
        guard !map.isEmpty, let seen = TransferURL(url.text), let host = seen.plainHost, let path = URLParts(seen.text)?.plainPath,
            let new = map.lazy.compactMap({ $0.replacement(host: host, path: path) }).first
        else { return url }
        var mapped = url
        mapped.place = seen.port == (seen.scheme == "https" ? 443 : 80) ? new.host : "\(new.host):\(seen.port)"
        mapped.path = new.path
        return mapped
    }
}
