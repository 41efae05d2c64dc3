import TintypeCore

/// One URL of a request, and the rules that match it. A pure value.
struct RuledAddress: Sendable {
    /// The URL with its base, as requested.
    let address: SourceAddress
    /// The host as rules know it; empty if no rule can match it.
    let host: String
    /// The rules in the order of their file.
    let rules: [Rule]
    /// The access of the last rule that sets access, and the rule's name.
    let access: (word: Rule.Access, rule: String)?
    /// Whether nothing may be downloaded from the URL.
    var isKeptOnly: Bool { access?.word == .cached }

    /// Returns the URL to request, and the URL that stands for it in keys, if that is another one.
    /// - Throws: `invalidURL`; `invalidParams` for a CDN that does not exist.
    func settled(_ fetch: FetchOptions) throws(TintypeError) -> (url: String, key: String?) {
        let address = fetch.queryParams.isEmpty ? address : try SourceAddress(address.url, params: fetch.queryParams)
        guard address.kind == .http, var parts = URLParts(address.url) else { return (address.url, nil) }
        for filter in rules.flatMap(\.filters) { filter.apply(to: &parts) }
        if fetch.cdn {
            guard let cdn = rules.last(where: { $0.cdn != nil })?.cdn else {
                throw .invalidParams(path: "fetch.cdn", value: true, expected: "a host that has a CDN here; \(host) has none")
            }
            (parts.scheme, parts.place) = (cdn.scheme, cdn.place)
            // A path with .. would leave the folder of the CDN.
            parts.path = (cdn.path.hasSuffix("/") ? String(cdn.path.dropLast()) : cdn.path) + parts.levelPath
        }
        let key = rules.last { $0.key != nil }?.key?.key(of: parts).text
        return (parts.text, key == parts.text ? nil : key)
    }
}

/// The headers of a request and of its rules. For each name, the last rule counts: it adds the header if the request has none, or removes it
/// in any case. A pure value; may hold secrets.
struct RuledHeaders: Sendable {
    /// A nil `rule` means the request's own header.
    private(set) var sent: [(header: FetchOptions.Header, rule: String?)]
    /// The names in lower case.
    private(set) var omitted: [(name: String, rule: String)] = []

    /// The headers that the service sends by itself.
    static let own: Set = ["accept", "accept-encoding", "content-type", "user-agent"]

    init(_ asked: [FetchOptions.Header], _ rules: [Rule]) {
        sent = asked.map { ($0, nil) }
        var settled: Set<String> = []
        for rule in rules.reversed() where !rule.headers.isEmpty || !rule.omittedHeaders.isEmpty {
            for name in rule.omittedHeaders.sorted() where settled.insert(name).inserted {
                sent.removeAll { $0.header.name.lowercased() == name }
                omitted.append((name, rule.name))
            }
            for header in rule.headers {
                let name = header.name.lowercased()
                guard settled.insert(name).inserted, !sent.contains(where: { $0.header.name.lowercased() == name }) else { continue }
                sent.append((header, rule.name))
            }
        }
    }
}
