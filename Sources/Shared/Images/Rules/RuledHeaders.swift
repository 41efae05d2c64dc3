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
