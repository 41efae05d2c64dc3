import TintypeCore
import TintypeTransport

/// What the operator has laid down for some URLs. A pure value; may hold secrets.
struct Rule: Sendable, Hashable {
    enum Access: String, Sendable, CaseIterable {
        case allow, deny
        /// What is kept is given, and nothing downloaded.
        case cached
    }

    /// Where it stands in its file: `rules[3]`.
    let name: String
    /// Empty: any.
    let hosts: [HostPattern]
    private let paths: [PathPattern]
    let access: Access?
    /// Sent unless the request has one of the name.
    let headers: [FetchOptions.Header]
    /// Names of headers that are not sent, whoever says them; in lower case.
    let omittedHeaders: Set<String>
    /// Whose scheme, host and beginning of the path are used with `fetch.cdn`.
    let cdn: URLParts?
    let filters: [URLFilter]
    let key: KeyFilter?
    /// Of pictures for which none is asked.
    let transform: [AnyOperation]?
    /// What requests say that do not say it themselves.
    let options: RuleOptions?
    let lifetime: LifetimeBounds?
    /// What answers are taken for.
    let revision: TransferRevision?
    /// How servers are met over TLS: the name that workers know it by.
    let tlsProfile: String?
    /// How many fetches of such a host may run at once, where its queue says nothing of it.
    let maxConcurrentPerHost: Int?
    /// How many fetches of such a host may begin in a second.
    let maxPerSecondPerHost: Double?

    static let parameters: [ParameterDescription] = [
        ParameterDescription("hosts", .array(of: HostPattern.type, count: 1...1024), "Hosts it is about; default: any. `*.example.org` are those below it."),
        ParameterDescription(
            "paths", .array(of: PathPattern.type, count: 1...1024),
            "Paths it is about: their beginning or, with a * in it, the whole. Default: any."),
        ParameterDescription(
            "access", .choice(Access.allCases.map(\.rawValue)),
            "Whether such URLs are fetched; `deny` ends in `denied`, `cached` gives what is kept and ends in `cacheMiss` where nothing is."),
        ParameterDescription(
            "headers", .map(of: .union([FetchOptions.token, .null])), secret: true,
            "Request headers, unless the request has one of the name; those too that requests may not set, but for what frames the message. null: none of the name is "
                + "sent, whoever says it. Of a request with mirrors, only where the rule is about all of them."),
        ParameterDescription(
            "cdn", Rules.webURL, secret: true, "Where `fetch.cdn` leads: scheme, host and port take the place of the URL's, a path goes before its path."),
        ParameterDescription(
            "filters", .array(of: .object(URLFilter.parameters), count: 1...64), "Changes to the URL, in this order; each object is one step."),
        ParameterDescription("key", .object(KeyFilter.parameters), "What of the URL is part of the source's key."),
        ParameterDescription("transform", OperationCatalogue.parameter, "Operations of pictures for which the request names none."),
        ParameterDescription(
            "options", .object(RuleOptions.parameters),
            "What requests say that do not say it themselves: members of an ImageRequest. Of a request with mirrors, only where the rule is about all of them."),
        ParameterDescription(
            "ttl", .object(LifetimeBounds.parameters),
            "How long sources, and what is made of them, are fresh at the least and at the most, whatever their origin or `cache.ttl` says."),
        ParameterDescription(
            "response", .object(TransferRevision.parameters),
            "What answers are taken for before they are judged and kept, behind redirects too. Of a request with mirrors, only where the rule is about all of them."
        ),
        ParameterDescription(
            "tlsProfile", .pattern(expectation: "the name of a profile: 1 to 64 of A–Z a–z 0–9 . _ -") { FetchOptions.isName($0) },
            "How such servers are met over TLS: authorities, certificate and check of the name that --tls-profiles of workers call so. Of a request with mirrors, "
                + "only where the rule is about all of them."),
        ParameterDescription(
            "maxConcurrentPerHost", .integer(1...100_000), "Running fetches of each such host at the most, where its queue says nothing of it. Without `paths`."
        ),
        ParameterDescription(
            "maxPerSecondPerHost", .number(0.01...1000), "Fetches of each such host that begin in a second at the most, in each queue. Without `paths`."),
    ]

    /// Reads validated JSON.
    /// - Throws: `invalidParams` for what the description cannot say.
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
            throw .invalidParams(path: "\(path).\(name)", value: most, expected: "a rule without paths: a host has one limit for all of them")
        }
    }

    /// - Parameters:
    ///   - host: as `TransferURL.plainHost` has it.
    ///   - path: as `URLParts.plainPath` has it.
    func isAbout(host: String, path: String) -> Bool {
        (hosts.isEmpty || hosts.contains { $0.matches(host) }) && (paths.isEmpty || paths.contains { $0.matches(path) })
    }
}
