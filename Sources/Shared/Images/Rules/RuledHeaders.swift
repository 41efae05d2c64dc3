/// The headers of a request by its own words and those of rules: of one name the last rule's count, which adds what the request does not say, or takes away
/// whatever is said. A pure value; may hold secrets.
struct RuledHeaders: Sendable {
    /// nil: the request's own.
    private(set) var sent: [(header: FetchOptions.Header, rule: String?)]
    /// Names in lower case.
    private(set) var omitted: [(name: String, rule: String)] = []

    /// Headers that the service sends by itself.
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
