import TintypeCore
import TintypeTransport

/// What the operator has laid down for some URLs. A pure value.
struct Rule: Sendable, Hashable {
    enum Access: String, Sendable, CaseIterable { case allow, deny }

    /// Empty: any.
    let hosts: [HostPattern]
    private let paths: [PathPattern]
    let access: Access?
    /// Sent unless the request has one of the name.
    let headers: [FetchOptions.Header]
    /// Whose scheme, host and beginning of the path are used with `fetch.cdn`.
    let cdn: URLParts?
    let filters: [URLFilter]
    let key: KeyFilter?
    /// Of pictures for which none is asked.
    let transform: [AnyOperation]?
    /// How many fetches of such a host may run at once, where its queue says nothing of it.
    let maxConcurrentPerHost: Int?

    static let parameters: [ParameterDescription] = [
        ParameterDescription("hosts", .array(of: HostPattern.type, count: 1...1024), "Hosts it is about; default: any. `*.example.org` are those below it."),
        ParameterDescription(
            "paths", .array(of: PathPattern.type, count: 1...1024),
            "Paths it is about: their beginning or, with a * in it, the whole. Default: any."),
        ParameterDescription("access", .choice(Access.allCases.map(\.rawValue)), "Whether such URLs are fetched; `deny` ends in `denied`."),
        ParameterDescription(
            "headers", .map(of: FetchOptions.token), secret: true,
            "Request headers, unless the request has one of the name; those too that requests may not set, but for what frames the message. Of a request with mirrors, only "
                + "where the rule is about all of them."),
        ParameterDescription(
            "cdn", Rules.webURL, secret: true, "Where `fetch.cdn` leads: scheme, host and port take the place of the URL's, a path goes before its path."),
        ParameterDescription(
            "filters", .array(of: .object(URLFilter.parameters), count: 1...64), "Changes to the URL, in this order; each object is one step."),
        ParameterDescription("key", .object(KeyFilter.parameters), "What of the query is part of the source's key."),
        ParameterDescription("transform", OperationCatalogue.parameter, "Operations of pictures for which the request names none."),
        ParameterDescription(
            "maxConcurrentPerHost", .integer(1...100_000), "Running fetches of each such host at the most, where its queue says nothing of it. Without `paths`."
        ),
    ]

    /// Reads validated JSON.
    /// - Throws: `invalidParams` for what the description cannot say.
    init(_ json: JSON, at path: String) throws(TintypeError) {
        hosts = (json["hosts"]?.array ?? []).compactMap { $0.string.flatMap { HostPattern($0) } }
        paths = (json["paths"]?.array ?? []).compactMap { $0.string.map { PathPattern($0) } }
        access = json["access"]?.string.flatMap { Access(rawValue: $0) }
        headers = try FetchOptions.headers(json["headers"], at: path + ".headers", by: .rule)
        cdn = json["cdn"]?.string.flatMap { URLParts($0) }
        var filters: [URLFilter] = []
        for (index, step) in (json["filters"]?.array ?? []).enumerated() { filters.append(try URLFilter(step, at: "\(path).filters[\(index)]")) }
        self.filters = filters
        key = json["key"].flatMap { $0.isNull ? nil : KeyFilter($0) }
        var operations: [AnyOperation]?
        for (index, step) in (json["transform"]?.array ?? []).enumerated() {
            operations = (operations ?? []) + [try AnyOperation(step, at: "\(path).transform[\(index)]")]
        }
        transform = operations ?? (json["transform"]?.array == nil ? nil : [])
        maxConcurrentPerHost = json["maxConcurrentPerHost"]?.int
        if maxConcurrentPerHost != nil, !paths.isEmpty {
            throw .invalidParams(
                path: path + ".maxConcurrentPerHost", value: JSON(maxConcurrentPerHost ?? 0),
                expected: "a rule without paths: a host has one limit for all of them")
        }
    }

    /// - Parameters:
    ///   - host: as `TransferURL.plainHost` has it.
    ///   - path: as `URLParts.plainPath` has it.
    func isAbout(host: String, path: String) -> Bool {
        (hosts.isEmpty || hosts.contains { $0.matches(host) }) && (paths.isEmpty || paths.contains { $0.matches(path) })
    }
}
