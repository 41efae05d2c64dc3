import TintypeCore

/// The operator's options for some URLs. A pure value; may hold secrets.
struct Rule: Sendable, Hashable {
    enum Access: String, Sendable, CaseIterable {
        case allow, deny
        /// Cached entries are served; nothing is downloaded.
        case cached
    }

    /// The place in the file: `rules[3]`.
    let name: String
    /// Empty: any host.
    let hosts: [HostPattern]
    private let paths: [PathPattern]
    let access: Access?
    /// Headers to send unless the request has one of the name.
    let headers: [FetchOptions.Header]
    /// Names of headers that are never sent, in lower case.
    let omittedHeaders: Set<String>
    /// The scheme, host and beginning of the path for `fetch.cdn`.
    let cdn: URLParts?
    let filters: [URLFilter]
    let key: KeyFilter?
    /// The operations for pictures without `transform`.
    let transform: [AnyOperation]?
    /// Members that a request gets unless it has them.
    let options: RuleOptions?
    let lifetime: LifetimeBounds?
    /// How responses are changed before they are judged.
    let revision: TransferRevision?
    /// The name of the TLS profile, as workers know it.
    let tlsProfile: String?
    /// The most running fetches of such a host, unless its queue has a limit.
    let maxConcurrentPerHost: Int?
    /// The most fetches of such a host that begin in a second.
    let maxPerSecondPerHost: Double?

    static let parameters: [ParameterDescription] = [
        ParameterDescription(
            "hosts", .array(of: HostPattern.type, count: 1...1024),
            "The hosts of the rule. `*.example.org` means all hosts below. Default: any."),
        ParameterDescription(
            "paths", .array(of: PathPattern.type, count: 1...1024),
            "The paths of the rule: a beginning or, with a * in it, the whole path. Default: any."),
        ParameterDescription(
            "access", .choice(Access.allCases.map(\.rawValue)),
            "Whether such URLs are fetched. `deny` fails with `denied`; `cached` serves cached entries only and fails with `cacheMiss` without one."),
        ParameterDescription(
            "headers", .map(of: .union([FetchOptions.token, .null])), secret: true,
            "Request headers to add, unless the request has one of the name. All names are allowed except headers that frame the message. null: the header is "
                + "never sent. With mirrors, the rule must match all of them."),
        ParameterDescription(
            "cdn", Rules.webURL, secret: true, "The CDN for `fetch.cdn`. Scheme, host and port replace those of the URL; a path is put before its path."),
        ParameterDescription(
            "filters", .array(of: .object(URLFilter.parameters), count: 1...64), "Changes to the URL, in this order. Each object is one step."),
        ParameterDescription("key", .object(KeyFilter.parameters), "The parts of the URL that belong to the source's key."),
        ParameterDescription("transform", OperationCatalog.parameter, "The operations for pictures without `transform`."),
        ParameterDescription(
            "options", .object(RuleOptions.parameters),
            "Members of an ImageRequest that a request gets unless it has them. With mirrors, the rule must match all of them."),
        ParameterDescription(
            "ttl", .object(LifetimeBounds.parameters),
            "The shortest and longest time for which sources and results are fresh, in place of what the origin or `cache.ttl` says."),
        ParameterDescription(
            "response", .object(TransferRevision.parameters),
            "Changes to responses before they are judged and cached, also after redirects. With mirrors, the rule must match all of them."
        ),
        ParameterDescription(
            "tlsProfile", .pattern(expectation: "the name of a profile: 1 to 64 of [A-Za-z0-9._-]") { FetchOptions.isName($0) },
            "The TLS profile for such servers: authorities, certificate and name check, from --tls-profiles of workers. With mirrors, "
                + "the rule must match all of them."),
        ParameterDescription(
            "maxConcurrentPerHost", .integer(1...100_000), "The most running fetches of each such host, unless its queue has a limit. Without `paths`."
        ),
        ParameterDescription(
            "maxPerSecondPerHost", .number(0.01...1000), "The most fetches of each such host that begin in a second, in each queue. Without `paths`."),
    ]

    /// Reads validated JSON.
    /// - Throws: `invalidParams` for errors that the description cannot express.
    init(_ json: JSON, at path: String) throws(TintypeError) {
        name = path
        hosts = (json["hosts"]?.array ?? []).compactMap { $0.string.flatMap { HostPattern($0) } }
        paths = (json["paths"]?.array ?? []).compactMap { $0.string.map { PathPattern($0) } }
        access = json["access"]?.string.flatMap { Access(rawValue: $0) }
        let named = try FetchOptions.headers(json["headers"], at: path + ".headers", by: .rule)
        headers = named.filter { json["headers"]?[$0.name]?.isNull == false }
        omittedHeaders = Set(named.filter { json["headers"]?[$0.name]?.isNull == true }.map { $0.name.lowercased() })
        cdn = json["cdn"]?.string.flatMap { URLParts($0) }
        var filters: [URLFilter] = []
        for (index, step) in (json["filters"]?.array ?? []).enumerated() { filters.append(try URLFilter(step, at: "\(path).filters[\(index)]")) }
        self.filters = filters
        key = try json["key"].flatMap { json throws(TintypeError) in try json.isNull ? nil : KeyFilter(json, at: path + ".key") }
        var operations: [AnyOperation]?
        for (index, step) in (json["transform"]?.array ?? []).enumerated() {
            operations = (operations ?? []) + [try AnyOperation(step, at: "\(path).transform[\(index)]")]
        }
        transform = operations ?? (json["transform"]?.array == nil ? nil : [])
        options = try json["options"]?.object.map { members throws(TintypeError) in try RuleOptions(members, at: path + ".options") }
        lifetime = try LifetimeBounds(json["ttl"], at: path + ".ttl")
        revision = try TransferRevision(json["response"], at: path + ".response")
        tlsProfile = json["tlsProfile"]?.string
        maxConcurrentPerHost = json["maxConcurrentPerHost"]?.int
        maxPerSecondPerHost = json["maxPerSecondPerHost"]?.double
        for name in ["maxConcurrentPerHost", "maxPerSecondPerHost"] where !paths.isEmpty {
            guard let most = json[name], !most.isNull else { continue }
            throw .invalidParams(path: "\(path).\(name)", value: most, expected: "a rule without paths: a host has one limit for all paths")
        }
    }

    /// - Parameters:
    ///   - host: the host from `TransferURL.plainHost`.
    ///   - path: the path from `URLParts.plainPath`.
    func isAbout(host: String, path: String) -> Bool {
        (hosts.isEmpty || hosts.contains { $0.matches(host) }) && (paths.isEmpty || paths.contains { $0.matches(path) })
    }
}

extension Rendition {
    /// Returns the rendition with its other pictures as the operator's rules change them.
    /// - Parameter isKeptOnly: set to true if one of them may not be downloaded.
    /// - Throws: `denied`, `invalidURL`.
    func ruled(_ rules: Rules, _ isKeptOnly: inout Bool) throws(TintypeError) -> Rendition {
        try mapLayers { layer throws(TintypeError) in
            guard let inForce = try rules.inForce(for: [layer.source.url], layer.source.fetch) else { return layer }
            isKeptOnly = isKeptOnly || inForce.isKeptOnly
            var ruled = layer
            ruled.source = try inForce.source(inForce.completing(layer.source.fetch), scope: nil)
            return ruled
        }
    }
}
