import TintypeCore
import TintypeTransport

/// One URL of a request, and the rules that are about it. A pure value.
struct RuledAddress: Sendable {
    /// With its base, and as it was asked for.
    let address: SourceAddress
    /// As rules know it; empty where none can be about it.
    let host: String
    /// In the order of their file.
    let rules: [Rule]
    /// What the last rule says that says something of access, and its name.
    let access: (word: Rule.Access, rule: String)?
    /// Whether nothing is downloaded from there.
    var isKeptOnly: Bool { access?.word == .cached }

    /// The URL as it is asked for, and what stands for it in keys, if that is another.
    /// - Throws: `invalidURL`; `invalidParams` for a CDN that there is not.
    func settled(_ fetch: FetchOptions) throws(TintypeError) -> (url: String, key: String?) {
        let address = fetch.queryParams.isEmpty ? address : try SourceAddress(address.url, params: fetch.queryParams)
        guard address.kind == .http, var parts = URLParts(address.url) else { return (address.url, nil) }
        for filter in rules.flatMap(\.filters) { filter.apply(to: &parts) }
        if fetch.cdn {
            guard let cdn = rules.last(where: { $0.cdn != nil })?.cdn else {
                throw .invalidParams(path: "fetch.cdn", value: true, expected: "a host that has a CDN here; \(host) has none")
            }
            (parts.scheme, parts.place) = (cdn.scheme, cdn.place)
            // What climbs would leave the CDN's folder.
            parts.path = (cdn.path.hasSuffix("/") ? String(cdn.path.dropLast()) : cdn.path) + parts.levelPath
        }
        let key = rules.last { $0.key != nil }?.key?.key(of: parts).text
        return (parts.text, key == parts.text ? nil : key)
    }
}
